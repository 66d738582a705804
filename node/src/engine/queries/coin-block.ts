import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { brokenCoin, decodeCoin } from "../../coins/coin-codec.ts"
import { coinKey } from "../../coins/coin-key.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { commit } from "../chainstate/commit.ts"
import { activeAt } from "../header-index/active-chain.ts"

const LAST_OUTPUT = 0xffffffff

/** Finds the block of a transaction that has unspent outputs. Precondition: no block is being connected. */
export const coinBlock = Effect.fnUntraced(function*(
  engine: ChainEngine,
  txid: Uint8Array
): Effect.fn.Return<Uint8Array | undefined, StorageError> {
  // The store finds coins by transaction; the cache cannot.
  yield* commit(engine)
  const range = { from: coinKey({ txid, vout: 0 }), to: coinKey({ txid, vout: LAST_OUTPUT }), limit: 1 }
  const found = (yield* Stream.runCollect(engine.store.range(range))).flat()[0]
  if (found === undefined) return undefined
  const coin = decodeCoin(found[1])
  if (coin === undefined) return yield* brokenCoin("look for a transaction", { txid, vout: 0 })
  return activeAt(engine.tree, coin.height)?.hash.slice()
})
