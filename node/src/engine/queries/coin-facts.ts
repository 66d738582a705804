import * as Effect from "effect/Effect"
import type { StorageError } from "../../storage/storage-error.ts"
import type { CoinFacts } from "../api/coin-calls.ts"
import type { ChainEngine } from "../state/chain-engine.ts"

/** Finds the coin at an outpoint, as of the tip. Precondition: no block is being connected. */
export const coinFacts = Effect.fnUntraced(function*(
  { coins, tree }: ChainEngine,
  txid: Uint8Array,
  vout: number
): Effect.fn.Return<CoinFacts | undefined, StorageError> {
  const outpoint = { txid, vout }
  yield* coins.prefetchCoins([outpoint])
  const coin = coins.coinAt(outpoint)
  if (coin === undefined) return undefined
  const { height, isCoinbase, script, value } = coin
  return {
    bestBlock: tree.tip.hash.slice(),
    bestHeight: tree.tip.height,
    value,
    script: script.slice(),
    height,
    isCoinbase
  }
})
