import { hash } from "node:crypto"

/** Bytes of magic and length before every record. */
export const RECORD_HEAD = 8
/** Bytes of the double SHA-256 after the data of an undo record. */
export const UNDO_CHECKSUM = 32

/** Writes the head of a record of `size` bytes at the start of `target`. */
export const writeRecordHead = (target: Uint8Array, magic: Uint8Array, size: number): void => {
  target.set(magic, 0)
  target[4] = size
  target[5] = size >>> 8
  target[6] = size >>> 16
  target[7] = size >>> 24
}

/** Returns the length in the head of a record, or `undefined` if it is no record of this network. */
export const recordLength = (record: Uint8Array, magic: Uint8Array): number | undefined => {
  for (let i = 0; i < 4; i++) if (record[i] !== magic[i]) return undefined
  return (record[4]! | record[5]! << 8 | record[6]! << 16 | record[7]! << 24) >>> 0
}

/** Describes the fault in the head of a record that should have `size` bytes. Returns `undefined` for a valid head. */
export const recordHeadFault = (record: Uint8Array, magic: Uint8Array, size: number): string | undefined => {
  const length = recordLength(record, magic)
  if (length === undefined) return "no record of this network starts there"
  return length === size ? undefined : `its length is ${length} there, not ${size}`
}

/** Computes the checksum of undo data: SHA-256d of the previous block's hash and the data. */
export const undoChecksum = (previousHash: Uint8Array, undo: Uint8Array): Buffer => {
  const joined = new Uint8Array(32 + undo.length)
  joined.set(previousHash, 0)
  joined.set(undo, 32)
  return hash("sha256", hash("sha256", joined, "buffer"), "buffer")
}
