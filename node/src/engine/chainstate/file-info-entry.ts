import type { BlockFileInfo } from "../../storage/block-files/block-files.ts"
import { KeySpace, numberedKey } from "../../storage/key-space.ts"
import type { BatchWriter, KeyValue } from "../../storage/key-value/key-value-store.ts"

/** Bytes of an entry's value: five numbers of 4 bytes, big-endian. */
const SIZE = 20

/** Writes the facts of a block file into a batch. */
export const putFileInfo = (info: BlockFileInfo, batch: BatchWriter): void => {
  const value = new Uint8Array(SIZE)
  const view = new DataView(value.buffer)
  view.setUint32(0, info.blockBytes)
  view.setUint32(4, info.undoBytes)
  view.setUint32(8, info.blocks)
  view.setUint32(12, info.lowestHeight)
  view.setUint32(16, info.highestHeight)
  batch.put(numberedKey(KeySpace.blockFile, info.file), value)
}

/** Reads the facts of a block file from an entry of the store. Returns `undefined` for any other entry. */
export const readFileInfo = ([key, value]: KeyValue): BlockFileInfo | undefined => {
  if (key.length !== 5 || value.length !== SIZE) return undefined
  const view = new DataView(value.buffer, value.byteOffset)
  return {
    file: new DataView(key.buffer, key.byteOffset).getUint32(1),
    blockBytes: view.getUint32(0),
    undoBytes: view.getUint32(4),
    blocks: view.getUint32(8),
    lowestHeight: view.getUint32(12),
    highestHeight: view.getUint32(16)
  }
}
