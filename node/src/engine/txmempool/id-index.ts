import type { TxHandle } from "@lockstep/txgraph"
import { hashTransaction } from "../../coins/outpoint-words.ts"
import { hashAt } from "./entry-columns.ts"
import { findSlot, type HashSlots, hashSlots, putSlot, takeSlot } from "./hash-slots.ts"

/** Entries by an id of 32 bytes, which stays in the entries' column. */
export interface IdIndex {
  readonly seed: number
  readonly slots: HashSlots
  readonly ids: () => Uint8Array
}

/** Makes an empty index over the column that `ids` returns. */
export const idIndex = (seed: number, ids: () => Uint8Array): IdIndex => ({ seed, ids, slots: hashSlots() })

const isAt = (ids: Uint8Array, handle: TxHandle, id: Uint8Array): boolean => {
  for (let i = 0; i < 32; i++) if (ids[handle * 32 + i] !== id[i]) return false
  return true
}

/** Returns the handle of an id, or `undefined`. */
export const findId = ({ ids, seed, slots }: IdIndex, id: Uint8Array): TxHandle | undefined => {
  const column = ids()
  return findSlot(slots, hashTransaction(seed, id), (handle) => isAt(column, handle, id))
}

/** Adds an entry whose id is in the column. Precondition: no entry has this id. */
export const indexId = ({ ids, seed, slots }: IdIndex, handle: TxHandle): void =>
  putSlot(slots, hashTransaction(seed, hashAt(ids(), handle)), handle)

/** Removes an entry. Precondition: the index contains it. */
export const unindexId = ({ ids, seed, slots }: IdIndex, handle: TxHandle): void =>
  takeSlot(slots, hashTransaction(seed, hashAt(ids(), handle)), (each) => each === handle)
