import { bytesEqual } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { acquireUseRelease } from "../../finalizers/finalizers.ts"
import type { Disk } from "../disk/disk.ts"
import type { StorageError } from "../storage-error.ts"
import { parseFileName } from "./file-names.ts"
import { applyXor, XOR_KEY_SIZE, type XorKey, xorKeyOf } from "./xor-key.ts"

/**
 * Offsets of a file whose plain bytes are zeros. The file begins with magic, length, header (80), count of transactions
 * and a coinbase. The coinbase's input spends 32 zeros, which begin at 94 to 98.
 */
const ZEROS = { from: 104, to: 120 } as const

/** Computes the key of a file that begins with a block, from the bytes where its zeros are. */
const keyIn = (head: Uint8Array, magic: Uint8Array): XorKey | undefined => {
  if (head.length < ZEROS.to) return undefined
  const bytes = head.slice(ZEROS.from, ZEROS.from + XOR_KEY_SIZE)
  if (!bytesEqual(bytes, head.subarray(ZEROS.from + XOR_KEY_SIZE, ZEROS.to))) return undefined
  const key = xorKeyOf(bytes)
  const start = head.slice(0, magic.length)
  applyXor(key, start, 0)
  return bytesEqual(start, magic) ? key : undefined
}

const headOf = (disk: Disk, path: string): Effect.Effect<Uint8Array, StorageError> =>
  acquireUseRelease(disk.open(path, "read"), (file) => file.read(0, ZEROS.to), (file) => file.close)

/**
 * Finds the key that the block files of a directory were written with: `stated` if a file confirms it, else that of the
 * first file that shows one. Returns `undefined` if no file shows a key.
 */
export const findKey = Effect.fnUntraced(function*(
  disk: Disk,
  directory: string,
  names: ReadonlyArray<string>,
  magic: Uint8Array,
  stated: XorKey | undefined
): Effect.fn.Return<XorKey | undefined, StorageError> {
  let found: XorKey | undefined
  for (const name of names.filter((each) => parseFileName(each)?.kind === "blk")) {
    // A file that cannot be read is reported when it is needed.
    const head = yield* Effect.orElseSucceed(headOf(disk, join(directory, name)), () => new Uint8Array(0))
    const key = keyIn(head, magic)
    if (key !== undefined && stated !== undefined && bytesEqual(key.bytes, stated.bytes)) return stated
    found ??= key
  }
  return found
})
