import * as Effect from "effect/Effect"
import { join } from "node:path"
import { acquireUseRelease } from "../../finalizers/finalizers.ts"
import type { Disk } from "../disk/disk.ts"
import { StorageError } from "../storage-error.ts"
import type { BlockFileInfo } from "./block-files.ts"
import { fileFault } from "./file-fault.ts"
import { type UncommittedBlocks, wholeBlocksFrom } from "./uncommitted-blocks.ts"
import { type FileKind, fileName, parseFileName } from "./file-names.ts"
import type { XorKey } from "./xor-key.ts"
import { asTyped } from "../../typed-command.ts"

/** Size up to which files are removed without a commit. An interrupted first start leaves only the genesis block. */
const SMALL = 4096

const sizeOf = (disk: Disk, path: string): Effect.Effect<number, StorageError> =>
  acquireUseRelease(disk.open(path, "read"), (file) => file.size, (file) => file.close)

const truncate = (disk: Disk, path: string, size: number): Effect.Effect<void, StorageError> =>
  acquireUseRelease(disk.open(path, "read-write"), (file) => file.truncate(size), (file) => file.close)

const unknownFiles = (directory: string): StorageError =>
  new StorageError({
    part: "block-files",
    operation: "open",
    reason: "missing",
    path: directory,
    message: `${directory} holds block files that the database knows nothing of. ` +
      `Restore the database that belongs to them, run ${
        asTyped("rebuild")
      } to make it anew from these files, or move them away.`
  })

/** Content of a directory after it was settled. */
export interface SettledFiles {
  readonly infos: ReadonlyArray<BlockFileInfo>
  readonly uncommitted: UncommittedBlocks
}

export interface SettleOptions {
  readonly disk: Disk
  readonly directory: string
  readonly names: ReadonlyArray<string>
  readonly committed: ReadonlyArray<BlockFileInfo>
  readonly magic: Uint8Array
  readonly key: XorKey
}

/** Truncates a file after the committed bytes, except for whole blocks. Returns the new end of the file. */
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
  if (!names.includes(name)) {
    return yield* fileFault(kind, path, "open", `is missing; it should have ${committed} bytes`, false)
  }
  const size = yield* sizeOf(disk, path)
  if (size < committed) {
    return yield* fileFault(
      kind,
      path,
      "open",
      `is too short: it has ${size} bytes and should have ${committed}`,
      false
    )
  }
  const end = kind === "blk" && size > committed ? yield* wholeBlocksFrom(options, path, committed, size) : committed
  if (size > end) yield* truncate(disk, path, end)
  return end
})

/** Names of files that no commit refers to. */
const unknownAmong = ({ committed, names }: SettleOptions): ReadonlyArray<string> => {
  const known = new Set(committed.map(({ file }) => file))
  return names.filter((name) => {
    const parsed = parseFileName(name)
    return parsed !== undefined && !known.has(parsed.number)
  })
}

/** Unknown files that were created after the last commit. Older ones were to be removed. */
const newerAmong = ({ committed }: SettleOptions, unknown: ReadonlyArray<string>): ReadonlyArray<BlockFileInfo> => {
  const newest = Math.max(...committed.map(({ file }) => file))
  const parsed = committed.length === 0 ? [] : unknown.map((name) => parseFileName(name)!)
  return parsed.filter(({ kind, number }) => kind === "blk" && number > newest)
    .map(({ number: file }) => ({ file, blockBytes: 0, undoBytes: 0, blocks: 0, lowestHeight: 0, highestHeight: 0 }))
}

const refuseUnknown = Effect.fnUntraced(function*({ directory, disk }: SettleOptions, unknown: ReadonlyArray<string>) {
  let total = 0
  // Undo data without blocks are useless.
  for (const name of unknown.filter((each) => parseFileName(each)?.kind === "blk")) {
    total += yield* sizeOf(disk, join(directory, name))
  }
  if (total > SMALL) return yield* unknownFiles(directory)
})

/**
 * Makes a directory contain what was committed, followed by whole blocks only. Those arrived after the last commit, or
 * the store was replaced by an older one. Other trailing bytes are truncated and files that no commit refers to are
 * removed. A file that is missing or too short fails. Block files without any commit are rejected, not removed.
 */
export const settleFiles = Effect.fnUntraced(
  function*(options: SettleOptions): Effect.fn.Return<SettledFiles, StorageError> {
    const { committed, directory, disk } = options
    const unknown = unknownAmong(options)
    if (committed.length === 0) yield* refuseUnknown(options, unknown)
    const infos: Array<BlockFileInfo> = []
    const uncommitted = new Map<number, number>()
    for (const info of [...committed, ...newerAmong(options, unknown)]) {
      const blockBytes = yield* settleFile(options, "blk", info.file, info.blockBytes)
      yield* settleFile(options, "rev", info.file, info.undoBytes)
      if (blockBytes > info.blockBytes) uncommitted.set(info.file, info.blockBytes)
      if (blockBytes > 0 || committed.includes(info)) infos.push({ ...info, blockBytes })
    }
    const kept = new Set([...uncommitted.keys()].map((file) => fileName("blk", file)))
    const removed = unknown.filter((name) => !kept.has(name))
    for (const name of removed) yield* disk.remove(join(directory, name))
    if (removed.length > 0) yield* disk.syncDirectory(directory)
    return { infos, uncommitted }
  }
)

/**
 * Prepares a rebuild of a pruned node: removes all undo files, and the block files after the first gap in their
 * numbers. The blocks before them are gone, so they connect to nothing (Core: `CleanupBlockRevFiles`). Returns the
 * remaining names.
 */
export const removePrunedRest = Effect.fnUntraced(
  function*(
    disk: Disk,
    directory: string,
    names: ReadonlyArray<string>
  ): Effect.fn.Return<ReadonlyArray<string>, StorageError> {
    const present = new Set(names)
    const isFollowing = (number: number): boolean => {
      for (let before = 0; before < number; before++) if (!present.has(fileName("blk", before))) return false
      return true
    }
    const removed = names.filter((name) => {
      const parsed = parseFileName(name)
      return parsed !== undefined && (parsed.kind === "rev" || !isFollowing(parsed.number))
    })
    for (const name of removed) yield* disk.remove(join(directory, name))
    if (removed.length > 0) yield* disk.syncDirectory(directory)
    return names.filter((name) => !removed.includes(name))
  }
)

/**
 * Prepares a rebuild: uses the block files as they are. Undo data are written again over the old ones. New blocks go
 * into a new file.
 */
export const takeFilesAsFound = Effect.fnUntraced(
  function*(disk: Disk, directory: string, names: ReadonlyArray<string>) {
    const found: Array<BlockFileInfo> = []
    for (const name of names) {
      const parsed = parseFileName(name)
      if (parsed?.kind !== "blk") continue
      const blockBytes = yield* sizeOf(disk, join(directory, name))
      found.push({ file: parsed.number, blockBytes, undoBytes: 0, blocks: 0, lowestHeight: 0, highestHeight: 0 })
    }
    return found.sort((a, b) => a.file - b.file)
  }
)
