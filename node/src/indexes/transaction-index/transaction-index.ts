import * as Effect from "effect/Effect"
import type { ChainStep } from "../../engine/state/chain-hook.ts"
import { hashedKey, KeySpace } from "../../storage/key-space.ts"
import type { KeyValueReader } from "../../storage/key-value/key-value-store.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import type { ChainIndex } from "../chain-index.ts"
import { pendingPlaces } from "./pending-places.ts"
import { markOf, placeAt, type TransactionPlace } from "./transaction-place.ts"

/**
 * Finds every transaction of the chain by its txid, except that of the genesis block, whose coin does not exist. A
 * transaction of a disconnected block stays until another block contains it, as in Bitcoin Core.
 */
export interface TransactionIndex extends ChainIndex {
  readonly find: (id: Uint8Array, store: KeyValueReader) => Effect.Effect<TransactionPlace | undefined, StorageError>
}

const idOf = ({ transactionIds }: ChainStep, i: number): Uint8Array => transactionIds.subarray(32 * i, 32 * i + 32)

export const transactionIndex = (): TransactionIndex => {
  const pending = pendingPlaces()
  return {
    name: "txindex",
    connected: (step) => {
      const { block, node: { hash, height } } = step
      if (height === 0) return
      const mark = markOf(hash)
      for (const [i, { bytes }] of block.transactions.entries()) {
        pending.put(idOf(step, i), {
          height,
          mark,
          offset: bytes.byteOffset - block.bytes.byteOffset,
          size: bytes.length
        })
      }
    },
    disconnected: () => {},
    writeChanges: pending.writeTo,
    committed: pending.clear,
    isFull: pending.isFull,
    state: () => new Uint8Array(0),
    restore: (state) => state.length === 0,
    find: (id, store) =>
      Effect.suspend(() => {
        const found = pending.find(id)
        if (found !== undefined) return Effect.succeed(found)
        return Effect.map(store.get(hashedKey(KeySpace.transactionIndex, id)), (bytes) => bytes && placeAt(bytes, 0))
      })
  }
}
