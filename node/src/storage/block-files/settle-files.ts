import * as Effect from "effect/Effect"
import { join } from "node:path"
import type { Disk } from "../disk/disk.ts"
import { StorageError } from "../storage-error.ts"
import type { BlockFileInfo } from "./block-files.ts"
import { fileFault } from "./file-fault.ts"
import { type FileKind, fileName, parseFileName } from "./file-names.ts"

const KINDS: ReadonlyArray<FileKind> = ["blk", "rev"]

/** A first start that was cut short leaves no more than the genesis block, which nobody misses. */
const SMALL = 4096

const sizeOf = (disk: Disk, path: string): Effect.Effect<number, StorageError> =>
  Effect.acquireUseRelease(disk.open(path, "read"), (file) => file.size, (file) => file.close)

const truncate = (disk: Disk, path: string, size: number): Effect.Effect<void, StorageError> =>
  Effect.acquireUseRelease(disk.open(path, "read-write"), (file) => file.truncate(size), (file) => file.close)

const unknownFiles = (directory: string): StorageError =>
  new StorageError({
    part: "block-files",
    operation: "open",
    reason: "missing",
    path: directory,
    message: `${directory} holds block files that the database knows nothing of. ` +
      "Restore the database that belongs to them, run `node rebuild` to make it anew from these files, or move them away."
  })

const cutOff = Effect.fnUntraced(function*(disk: Disk, path: string, kind: FileKind, isThere: boolean, committed: number) {
  if (!isThere && committed === 0) return
  if (!isThere) return yield* fileFault(kind, path, "open", `is missing; it should have ${committed} bytes`, false)
  const size = yield* sizeOf(disk, path)
  if (size < committed) {
    return yield* fileFault(kind, path, "open", `is too short: it has ${size} bytes and should have ${committed}`, false)
  }
  if (size > committed) yield* truncate(disk, path, committed)
})

/**
 * Makes a directory hold exactly what was committed: ends behind it are cut off, files it does not name are removed, and a
 * file that is missing or too short fails. A whole store of blocks of which nothing is committed is refused rather than
 * removed.
 */
export const settleFiles = Effect.fnUntraced(function*(
  disk: Disk,
  directory: string,
  names: ReadonlyArray<string>,
  committed: ReadonlyArray<BlockFileInfo>
) {
  const infos = new Map(committed.map((info) => [info.file, info]))
  const strangers = names.filter((name) => {
    const parsed = parseFileName(name)
    return parsed !== undefined && !infos.has(parsed.number)
  })
  if (committed.length === 0) {
    let total = 0
    for (const name of strangers) total += yield* sizeOf(disk, join(directory, name))
    if (total > SMALL) return yield* unknownFiles(directory)
  }
  for (const name of strangers) yield* disk.remove(join(directory, name))
  if (strangers.length > 0) yield* disk.syncDirectory(directory)
  const present = new Set(names)
  for (const info of committed) {
    for (const kind of KINDS) {
      const name = fileName(kind, info.file)
      const bytes = kind === "blk" ? info.blockBytes : info.undoBytes
      yield* cutOff(disk, join(directory, name), kind, present.has(name), bytes)
    }
  }
})

/**
 * For a rebuild: takes the block files as they stand, whatever is in them, and drops the undo files, which are written
 * again. New blocks go behind the last byte, into a file of their own.
 */
export const takeFilesAsFound = Effect.fnUntraced(function*(disk: Disk, directory: string, names: ReadonlyArray<string>) {
  const found: Array<BlockFileInfo> = []
  for (const name of names) {
    const parsed = parseFileName(name)
    if (parsed === undefined) continue
    const path = join(directory, name)
    if (parsed.kind === "rev") {
      yield* disk.remove(path)
      continue
    }
    const blockBytes = yield* sizeOf(disk, path)
    found.push({ file: parsed.number, blockBytes, undoBytes: 0, blocks: 0, lowestHeight: 0, highestHeight: 0 })
  }
  yield* disk.syncDirectory(directory)
  return found.sort((a, b) => a.file - b.file)
})
