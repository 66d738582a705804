import { bytesEqual } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import type { Disk } from "../disk/disk.ts"
import { StorageError } from "../storage-error.ts"
import { parseFileName } from "./file-names.ts"
import { findKey } from "./find-key.ts"
import { NO_XOR, readXorKey, XOR_KEY_SIZE, type XorKey, xorKeyOf } from "./xor-key.ts"

/** Receives what an operator should know. */
type Warn = (message: string) => void

/** The key in `xor.dat`; none where it is not there or holds something else than a key, and then the error for that. */
const statedKey = (disk: Disk, directory: string, names: ReadonlyArray<string>) =>
  readXorKey(disk, directory, names).pipe(
    Effect.map((key) => ({ key, fault: undefined })),
    Effect.catchIf(({ reason }) => reason === "corrupt", (fault) => Effect.succeed({ key: undefined, fault }))
  )

/** Whose key is to be found, and how. */
export interface KeyOptions {
  readonly magic: Uint8Array
  readonly warn: Warn
  /** Whether files may be under a key; none: they may. A new directory gets one then. */
  readonly isXored?: boolean | undefined
}

/** Fails where there is a key and none may be. */
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
 * The key of our own directory: a random one where there are no files yet, none for files that were written without.
 * When `xor.dat` is gone or is not what the files were written with, it is made again from what they show. With another
 * key nothing could be read, and what is written would be lost with the right one.
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
  // Files that were written without a key need not have had it.
  if (!isNew && (isThere || !key.isZero)) {
    warn(`${path} was ${isThere ? "damaged" : "missing"}: it was made again from what the block files show`)
  }
  return key
})
