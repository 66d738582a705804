import { hash } from "node:crypto"

/** Magic and length in front of every record. */
export const RECORD_HEAD = 8
/** Double SHA-256 behind the data of an undo record. */
export const UNDO_CHECKSUM = 32

/** Puts the head of a record of `size` bytes at the start of `target`. */
export const writeRecordHead = (target: Uint8Array, magic: Uint8Array, size: number): void => {
  target.set(magic, 0)
  target[4] = size
  target[5] = size >>> 8
  target[6] = size >>> 16
  target[7] = size >>> 24
}

/** The length in the head of a record; none: it is not that of a record of this network. */
export const recordLength = (record: Uint8Array, magic: Uint8Array): number | undefined => {
  for (let i = 0; i < 4; i++) if (record[i] !== magic[i]) return undefined
  return (record[4]! | record[5]! << 8 | record[6]! << 16 | record[7]! << 24) >>> 0
}

/** What is wrong with the head of a record that should have `size` bytes; none: nothing. */
export const recordHeadFault = (record: Uint8Array, magic: Uint8Array, size: number): string | undefined => {
  const length = recordLength(record, magic)
  if (length === undefined) return "no record of this network starts there"
  return length === size ? undefined : `its length is ${length} there, not ${size}`
}

/** What stands behind undo data: SHA-256d of the hash of the block before and the data. */
export const undoChecksum = (previousHash: Uint8Array, undo: Uint8Array): Buffer => {
  const joined = new Uint8Array(32 + undo.length)
  joined.set(previousHash, 0)
  joined.set(undo, 32)
  return hash("sha256", hash("sha256", joined, "buffer"), "buffer")
}
