import { bytesEqual } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import type { Disk } from "../disk/disk.ts"
import { StorageError } from "../storage-error.ts"
import { parseFileName } from "./file-names.ts"
import { findKey } from "./find-key.ts"
import { NO_XOR, readXorKey, XOR_KEY_SIZE, type XorKey, xorKeyOf } from "./xor-key.ts"

/** Receives warnings for the operator. */
type Warn = (message: string) => void

/** Reads the key in `xor.dat`. Returns no key if the file is missing; if it is invalid, no key and the error. */
const statedKey = (disk: Disk, directory: string, names: ReadonlyArray<string>) =>
  readXorKey(disk, directory, names).pipe(
    Effect.map((key) => ({ key, fault: undefined })),
    Effect.catchIf(({ reason }) => reason === "corrupt", (fault) => Effect.succeed({ key: undefined, fault }))
  )

/** Options of the search for a key. */
export interface KeyOptions {
  readonly magic: Uint8Array
  readonly warn: Warn
  /** True, the default, if files may be XORed. A new directory then gets a key. */
  readonly isXored?: boolean | undefined
}

/** Fails if the directory has a key although none is allowed. */
const permitted = (path: string, key: XorKey | undefined, isXored: boolean): Effect.Effect<void, StorageError> =>
  isXored || key === undefined || key.isZero ? Effect.void : Effect.fail(
    new StorageError({
      part: "block-files",
      operation: "open",
      reason: "corrupt",
      path,
      message:
        `The key ${Buffer.from(key.bytes).toString("hex")} of ${path}, which block files were written with, cannot ` +
        "be disabled. Start without -blocksxor=0, or in a new directory."
    })
  )

const freshKey = (isXored: boolean): XorKey => isXored ? xorKeyOf(new Uint8Array(randomBytes(XOR_KEY_SIZE))) : NO_XOR

/**
 * Returns the key of the node's own directory: a random one if it has no files yet, none for files written without one.
 * If `xor.dat` is missing or does not match the files, it is rewritten from the key that they show. With a wrong key no
 * file could be read, and new data would be lost once the right key returned.
 */
export const ensureXorKey = Effect.fnUntraced(function*(
  disk: Disk,
  directory: string,
  names: ReadonlyArray<string>,
  { isXored = true, magic, warn }: KeyOptions
): Effect.fn.Return<XorKey, StorageError> {
  const path = join(directory, "xor.dat")
  const isThere = names.includes("xor.dat")
  const isNew = names.every((name) => parseFileName(name) === undefined)
  const { fault, key: stated } = yield* statedKey(disk, directory, names)
  yield* permitted(path, stated, isXored)
  const shown = yield* findKey(disk, directory, names, magic, stated)
  if (stated !== undefined && (shown === undefined || bytesEqual(shown.bytes, stated.bytes))) return stated
  if (fault !== undefined && shown === undefined && !isNew) return yield* fault
  const key = isNew ? freshKey(isXored) : shown ?? NO_XOR
  yield* permitted(path, key, isXored)
  yield* disk.replaceFile(path, key.bytes)
  // Files that were written without a key never needed `xor.dat`.
  if (!isNew && (isThere || !key.isZero)) {
    warn(`${path} was ${isThere ? "damaged" : "missing"}: it was made again from what the block files show`)
  }
  return key
})
