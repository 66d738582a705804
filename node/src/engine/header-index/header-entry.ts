import { KeySpace, numberedKey } from "../../storage/key-space.ts"
import type { BatchWriter } from "../../storage/key-value/key-value-store.ts"
import { hashBytes, headerBytes } from "./header-records.ts"
import { KEPT_STATUS } from "./header-status.ts"
import type { HeaderIndex } from "./header-index.ts"

/** Bytes of an entry's value: header, status, then seven numbers of 4 bytes, big-endian. */
export const ENTRY_SIZE = 80 + 1 + 7 * 4

const NUMBERS = 81

/** Writes the entry with this index into a batch. */
const putEntry = (tree: HeaderIndex, index: number, batch: BatchWriter): void => {
  const { columns, nodes, records } = tree
  const value = new Uint8Array(ENTRY_SIZE)
  value.set(headerBytes(records, index))
  value[80] = columns.status[index]! & KEPT_STATUS
  const view = new DataView(value.buffer)
  view.setUint32(NUMBERS, columns.transactions[index]!)
  view.setUint32(NUMBERS + 4, columns.blockFile[index]!)
  view.setUint32(NUMBERS + 8, columns.blockOffset[index]!)
  view.setUint32(NUMBERS + 12, columns.blockSize[index]!)
  view.setUint32(NUMBERS + 16, columns.undoFile[index]!)
  view.setUint32(NUMBERS + 20, columns.undoOffset[index]!)
  view.setUint32(NUMBERS + 24, columns.undoSize[index]!)
  batch.put(numberedKey(KeySpace.header, nodes[index]!.height, hashBytes(records, index)), value)
}

/** Writes all changed entries into a batch, in key order as far as heights go. */
export const putChangedEntries = (tree: HeaderIndex, batch: BatchWriter): void => {
  const { changed, nodes } = tree
  const indices = [...changed].sort((a, b) => nodes[a]!.height - nodes[b]!.height)
  for (const index of indices) putEntry(tree, index, batch)
}

/** Fills the columns of an entry from its value. Precondition: {@link ENTRY_SIZE} bytes. */
export const readEntry = (tree: HeaderIndex, index: number, value: Uint8Array): void => {
  const { columns } = tree
  const view = new DataView(value.buffer, value.byteOffset)
  columns.status[index] = value[80]! & KEPT_STATUS
  columns.transactions[index] = view.getUint32(NUMBERS)
  columns.blockFile[index] = view.getUint32(NUMBERS + 4)
  columns.blockOffset[index] = view.getUint32(NUMBERS + 8)
  columns.blockSize[index] = view.getUint32(NUMBERS + 12)
  columns.undoFile[index] = view.getUint32(NUMBERS + 16)
  columns.undoOffset[index] = view.getUint32(NUMBERS + 20)
  columns.undoSize[index] = view.getUint32(NUMBERS + 24)
}
