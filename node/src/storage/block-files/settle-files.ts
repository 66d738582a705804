import * as Effect from "effect/Effect"
import { join } from "node:path"
import type { Disk } from "../disk/disk.ts"
import { StorageError } from "../storage-error.ts"
import type { BlockFileInfo } from "./block-files.ts"
import { fileFault } from "./file-fault.ts"
import { type LeftBehind, wholeBlocksFrom } from "./left-behind.ts"
import { type FileKind, fileName, parseFileName } from "./file-names.ts"
import type { XorKey } from "./xor-key.ts"

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

/** What a directory holds once it is settled. */
export interface Settled {
  readonly infos: ReadonlyArray<BlockFileInfo>
  readonly leftBehind: LeftBehind
}

export interface SettleOptions {
  readonly disk: Disk
  readonly directory: string
  readonly names: ReadonlyArray<string>
  readonly committed: ReadonlyArray<BlockFileInfo>
  readonly magic: Uint8Array
  readonly key: XorKey
}

/** Cuts off what is behind the bytes that were committed, whole blocks apart. Answers where the file ends then. */
const settleFile = Effect.fnUntraced(function*(
  options: SettleOptions,
  kind: FileKind,
  file: number,
  committed: number
): Effect.fn.Return<number, StorageError> {
  const { directory, disk, names } = options
  const name = fileName(kind, file)
  const path = join(directory, name)
  if (!names.includes(name) && committed === 0) return 0
  if (!names.includes(name)) return yield* fileFault(kind, path, "open", `is missing; it should have ${committed} bytes`, false)
  const size = yield* sizeOf(disk, path)
  if (size < committed) {
    return yield* fileFault(kind, path, "open", `is too short: it has ${size} bytes and should have ${committed}`, false)
  }
  const end = kind === "blk" && size > committed ? yield* wholeBlocksFrom(options, path, committed, size) : committed
  if (size > end) yield* truncate(disk, path, end)
  return end
})

/** Files that nothing speaks of. */
const strangersAmong = ({ committed, names }: SettleOptions): ReadonlyArray<string> => {
  const known = new Set(committed.map(({ file }) => file))
  return names.filter((name) => {
    const parsed = parseFileName(name)
    return parsed !== undefined && !known.has(parsed.number)
  })
}

/** The strangers that were begun behind the last commit. Older ones were to be removed. */
const newerAmong = ({ committed }: SettleOptions, strangers: ReadonlyArray<string>): ReadonlyArray<BlockFileInfo> => {
  const newest = Math.max(...committed.map(({ file }) => file))
  const parsed = committed.length === 0 ? [] : strangers.map((name) => parseFileName(name)!)
  return parsed.filter(({ kind, number }) => kind === "blk" && number > newest)
    .map(({ number: file }) => ({ file, blockBytes: 0, undoBytes: 0, blocks: 0, lowestHeight: 0, highestHeight: 0 }))
}

const refuseUnknown = Effect.fnUntraced(function*({ directory, disk }: SettleOptions, strangers: ReadonlyArray<string>) {
  let total = 0
  for (const name of strangers) total += yield* sizeOf(disk, join(directory, name))
  if (total > SMALL) return yield* unknownFiles(directory)
})

/**
 * Makes a directory hold what was committed, and behind it whole blocks only: they came in after the last commit, or the
 * store has gone back to an older one. Anything else behind is cut off, files that nothing names are removed, and a file
 * that is missing or too short fails. A whole store of blocks of which nothing is committed is refused rather than removed.
 */
export const settleFiles = Effect.fnUntraced(function*(options: SettleOptions): Effect.fn.Return<Settled, StorageError> {
  const { committed, directory, disk } = options
  const strangers = strangersAmong(options)
  if (committed.length === 0) yield* refuseUnknown(options, strangers)
  const infos: Array<BlockFileInfo> = []
  const leftBehind = new Map<number, number>()
  for (const info of [...committed, ...newerAmong(options, strangers)]) {
    const blockBytes = yield* settleFile(options, "blk", info.file, info.blockBytes)
    yield* settleFile(options, "rev", info.file, info.undoBytes)
    if (blockBytes > info.blockBytes) leftBehind.set(info.file, info.blockBytes)
    if (blockBytes > 0 || committed.includes(info)) infos.push({ ...info, blockBytes })
  }
  const kept = new Set([...leftBehind.keys()].map((file) => fileName("blk", file)))
  const removed = strangers.filter((name) => !kept.has(name))
  for (const name of removed) yield* disk.remove(join(directory, name))
  if (removed.length > 0) yield* disk.syncDirectory(directory)
  return { infos, leftBehind }
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
