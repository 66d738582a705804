import * as Effect from "effect/Effect"
import { join } from "node:path"
import { ensuring } from "../../finalizers/finalizers.ts"
import type { Disk } from "../disk/disk.ts"
import { StorageError } from "../storage-error.ts"

/** Bytes of a key. */
export const XOR_KEY_SIZE = 8

/** Eight bytes that are XORed over a file again and again, so that no virus scanner finds its patterns in a block. */
export interface XorKey {
  readonly bytes: Uint8Array
  readonly isZero: boolean
}

/** The key that changes nothing. */
export const NO_XOR: XorKey = { bytes: new Uint8Array(XOR_KEY_SIZE), isZero: true }

/** A key of these eight bytes. */
export const xorKeyOf = (bytes: Uint8Array): XorKey => ({ bytes, isZero: bytes.every((byte) => byte === 0) })

/** Returns the eight key bytes as they apply from `offset` of a file on. */
const turned = (key: XorKey, offset: number): Uint8Array => {
  const bytes = new Uint8Array(XOR_KEY_SIZE)
  for (let i = 0; i < XOR_KEY_SIZE; i++) bytes[i] = key.bytes[(offset + i) % XOR_KEY_SIZE]!
  return bytes
}

/** XORs `bytes`, which are at `offset` of a file, with the key. A second call restores them. */
export const applyXor = (key: XorKey, bytes: Uint8Array, offset: number): void => {
  if (key.isZero) return
  const head = Math.min((4 - (bytes.byteOffset & 3)) & 3, bytes.length)
  for (let i = 0; i < head; i++) bytes[i]! ^= key.bytes[(offset + i) % XOR_KEY_SIZE]!
  // A word view, even an empty one, must start at a multiple of four bytes.
  if (head === bytes.length) return
  const count = (bytes.length - head) >>> 2
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + head, count)
  // Both sides are read as words in the machine's byte order, so the bytes match.
  const [even, odd] = new Uint32Array(turned(key, offset + head).buffer) as unknown as readonly [number, number]
  for (let i = 0; i < count; i++) words[i]! ^= (i & 1) === 0 ? even : odd
  for (let i = head + count * 4; i < bytes.length; i++) bytes[i]! ^= key.bytes[(offset + i) % XOR_KEY_SIZE]!
}

const wrongSize = (path: string, size: number): StorageError =>
  new StorageError({
    part: "block-files",
    operation: "open",
    reason: "corrupt",
    path,
    message:
      `${path} holds ${size} bytes, a key has ${XOR_KEY_SIZE}. Restore it from a backup: without it no block file can be read.`
  })

/** Reads the key of a directory with these names. Returns `undefined` without `xor.dat`. */
export const readXorKey = Effect.fnUntraced(function*(disk: Disk, directory: string, names: ReadonlyArray<string>) {
  if (!names.includes("xor.dat")) return undefined
  const path = join(directory, "xor.dat")
  const file = yield* disk.open(path, "read")
  const bytes = yield* ensuring(file.read(0, XOR_KEY_SIZE + 1), file.close)
  if (bytes.length !== XOR_KEY_SIZE) return yield* wrongSize(path, bytes.length)
  return xorKeyOf(bytes)
})
