import type { AssumeUtxo } from "@lockstep/protocol/networks/network.ts"
import type * as Effect from "effect/Effect"
import type { CoinCache } from "../../coins/coin-cache.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"

/** The chain from genesis that is validated behind a chain that began with a snapshot. */
export interface BackgroundChain {
  /** Every block up to here was validated. */
  tip: HeaderIndexNode
  readonly coins: CoinCache
}

/** The snapshot that the active chain began with. */
export interface Snapshot {
  /** The block where its coins are unspent. */
  readonly base: HeaderIndexNode
  readonly known: AssumeUtxo
  /** None: the background chain came to the base and its coins were the same; the snapshot is confirmed. */
  background: BackgroundChain | undefined
  /** Called once the background chain is at the base. */
  whenReached: () => void
  /** Ends with the comparison of the coins, while that is under way. */
  comparison: Effect.Effect<void> | undefined
}
