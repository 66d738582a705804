import type { AssumeUtxo } from "@lockstep/protocol/networks/network.ts"
import type * as Effect from "effect/Effect"
import type { CoinCache } from "../../coins/coin-cache.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"

/** The chain from genesis that is validated in the background of one that began with a snapshot. */
export interface BackgroundChain {
  /** The last validated block. */
  tip: HeaderIndexNode
  readonly coins: CoinCache
}

/** The snapshot that the active chain began with. */
export interface Snapshot {
  /** The block at which its coins are unspent. */
  readonly base: HeaderIndexNode
  readonly known: AssumeUtxo
  /** `undefined` once the snapshot is confirmed: the background chain reached the base with the same coins. */
  background: BackgroundChain | undefined
  /** Called once the background chain is at the base. */
  whenReached: () => void
  /** Ends with the comparison of the coins; `undefined` while none is running. */
  comparison: Effect.Effect<void> | undefined
}
