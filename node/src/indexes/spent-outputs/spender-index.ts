import type { OutPoint } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import type { ChainStep } from "../../engine/state/chain-hook.ts"
import { KeySpace } from "../../storage/key-space.ts"
import type { KeyValueReader } from "../../storage/key-value/key-value-store.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import type { ChainIndex } from "../chain-index.ts"
import { pendingChanges } from "../outputs/pending-changes.ts"
import {
  markOf,
  PLACE_SIZE,
  placeAt,
  type TransactionPlace,
  writePlace
} from "../transaction-index/transaction-place.ts"

/** Finds the transaction of the active chain that spends an output. Entries of disconnected blocks are removed. */
export interface SpenderIndex extends ChainIndex {
  readonly find: (
    outpoint: OutPoint,
    store: KeyValueReader
  ) => Effect.Effect<TransactionPlace | undefined, StorageError>
}

const OUTPUT_AT = 33

/** Returns the key of an outpoint; see {@link KeySpace.spender}. */
const spenderKey = ({ txid, vout }: OutPoint): Uint8Array => {
  const key = new Uint8Array(OUTPUT_AT + 4)
  key[0] = KeySpace.spender
  key.set(txid, 1)
  new DataView(key.buffer).setUint32(OUTPUT_AT, vout)
  return key
}

const encodePlace = (place: TransactionPlace): Uint8Array => {
  const bytes = new Uint8Array(PLACE_SIZE)
  writePlace(bytes, 0, place)
  return bytes
}

/** Makes a spender index. `mostPending` is the number of uncommitted changes from which a commit is due. */
export const spenderIndex = (mostPending?: number): SpenderIndex => {
  const pending = pendingChanges(mostPending)
  return {
    name: "txospenderindex",
    connected: ({ block, node: { hash, height } }: ChainStep) => {
      const mark = markOf(hash)
      // A coinbase spends nothing.
      for (const { bytes, inputs } of block.transactions.slice(1)) {
        const offset = bytes.byteOffset - block.bytes.byteOffset
        const place = encodePlace({ height, mark, offset, size: bytes.length })
        for (const { prevout } of inputs) pending.put(spenderKey(prevout), place)
      }
    },
    disconnected: ({ block }) => {
      for (const { inputs } of block.transactions.slice(1)) {
        for (const { prevout } of inputs) pending.remove(spenderKey(prevout))
      }
    },
    writeChanges: pending.writeTo,
    committed: pending.clear,
    isFull: pending.isFull,
    state: () => new Uint8Array(0),
    restore: (state) => state.length === 0,
    find: (outpoint, store) =>
      Effect.suspend(() => {
        const key = spenderKey(outpoint)
        const change = pending.of(key)
        const bytes = change === undefined ? store.get(key) : Effect.succeed(change.value)
        return Effect.map(bytes, (place) => place && placeAt(place, 0))
      })
  }
}
