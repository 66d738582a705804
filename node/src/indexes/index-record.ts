import { KeySpace, namedKey } from "../storage/key-space.ts"

/** The progress of an index, as recorded in the store. */
export interface IndexRecord {
  /** Hash of the last block that it has processed. */
  readonly block: Uint8Array
  readonly state: Uint8Array
}

/** Raised when the form of entries changes: an index of another version is rebuilt. */
const VERSION = 1
const HASH_SIZE = 32

export const indexKey = (name: string): Uint8Array => namedKey(KeySpace.indexState, name)

/** Encodes version, block hash and state. */
export const encodeIndexRecord = ({ block, state }: IndexRecord): Uint8Array => {
  const bytes = new Uint8Array(1 + HASH_SIZE + state.length)
  bytes[0] = VERSION
  bytes.set(block, 1)
  bytes.set(state, 1 + HASH_SIZE)
  return bytes
}

/** Returns `undefined` if the index is new or of another version. */
export const decodeIndexRecord = (bytes: Uint8Array | undefined): IndexRecord | undefined =>
  bytes === undefined || bytes[0] !== VERSION || bytes.length < 1 + HASH_SIZE
    ? undefined
    : { block: bytes.subarray(1, 1 + HASH_SIZE), state: bytes.subarray(1 + HASH_SIZE) }
