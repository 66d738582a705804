import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { join } from "node:path"
import type { Disk } from "../disk/disk.ts"
import { StorageError } from "../storage-error.ts"
import { type BlockFileInfo, type BlockFiles, type FilePosition, CORE_FILES } from "./block-files.ts"
import { ensureXorKey } from "./ensure-key.ts"
import { fileFault } from "./file-fault.ts"
import { fileHandles } from "./file-handles.ts"
import { type FileKind, fileName } from "./file-names.ts"
import { findFirstBlock } from "./first-block.ts"
import { fileTable, MAX_FILE_BYTES } from "./file-table.ts"
import { RECORD_HEAD, recordHeadFault, UNDO_CHECKSUM, undoChecksum, writeRecordHead } from "./record.ts"
import { removePrunedRest, settleFiles, takeFilesAsFound } from "./settle-files.ts"
import { applyXor, NO_XOR, readXorKey } from "./xor-key.ts"
import { asTyped } from "../../typed-command.ts"
import { byFront } from "../../front/front.ts"

const OPEN_FILES = 48

export interface BlockFilesOptions {
  readonly disk: Disk
  /** Directory of the node's own files. */
  readonly directory: string
  readonly magic: Uint8Array
  /** The facts from the key-value store, or "as found" to use the existing files in a rebuild. */
  readonly committed: ReadonlyArray<BlockFileInfo> | "as found"
  /** True if a rebuild removes files after a gap that pruning left. By default it uses all files. */
  readonly dropsPrunedRest?: boolean | undefined
  /** Bitcoin Core's `blocks` directory, which is read in place. */
  readonly coreBlocks: string | undefined
  /** Maximum size of block files; tests use small ones. */
  readonly maxFileBytes?: number | undefined
  /** True, the default, if files may be XORed with a key. */
  readonly isXored?: boolean | undefined
  /** Receives warnings for the operator. */
  readonly warn?: (message: string) => void
}

const ignore = (): void => {}

const describe = (kind: FileKind, { offset, size }: FilePosition): string =>
  `${kind === "blk" ? "the block" : "the undo data"} of ${size} bytes at offset ${offset}`

/** The error for a block in Bitcoin Core's directory, which is not configured any more. */
const noCoreDirectory = (file: number): StorageError =>
  new StorageError({
    part: "block-files",
    operation: "read",
    reason: "missing",
    message: `Block file ${fileName("blk", file - CORE_FILES)} of Bitcoin Core is needed: ` +
      byFront({ lockstep: "name its blocks directory again ([storage].core_blocks_dir), or ", bitcoind: "" }) +
      `run ${asTyped("rebuild")}, after which its blocks are fetched from the network.`
  })

/** Opens the files. They then contain what was committed, followed by whole blocks only. */
export const openBlockFiles = Effect.fnUntraced(
  function*(options: BlockFilesOptions): Effect.fn.Return<BlockFiles, StorageError> {
    const { committed, directory, disk, magic, maxFileBytes = MAX_FILE_BYTES, coreBlocks, isXored, warn = ignore } =
      options
    yield* disk.makeDirectory(directory)
    const names = yield* disk.list(directory)
    const ownKey = yield* ensureXorKey(disk, directory, names, { magic, warn, isXored })
    const coreKey = coreBlocks === undefined
      ? NO_XOR
      : (yield* readXorKey(disk, coreBlocks, yield* disk.list(coreBlocks))) ?? NO_XOR
    const { infos, uncommitted } = committed === "as found"
      ? {
        infos: yield* takeFilesAsFound(
          disk,
          directory,
          options.dropsPrunedRest === true ? yield* removePrunedRest(disk, directory, names) : names
        ),
        uncommitted: new Map<number, number>()
      }
      : yield* settleFiles({ disk, directory, names, committed, magic, key: ownKey })
    const table = fileTable(infos, maxFileBytes)
    if (committed === "as found") table.seal()

    const handles = fileHandles(disk, OPEN_FILES)
    const writing = Semaphore.makeUnsafe(1)
    const dirty = new Set<string>()
    let hasNewFiles = committed !== "as found"
    let failedSync: StorageError | undefined
    let scratch = new Uint8Array(1 << 16)

    const pathOf = (kind: FileKind, file: number): string =>
      file < CORE_FILES
        ? join(directory, fileName(kind, file))
        : join(coreBlocks ?? "", fileName(kind, file - CORE_FILES))

    const scratchOf = (size: number): Uint8Array<ArrayBuffer> => {
      if (scratch.length < size) scratch = new Uint8Array(size * 2)
      return scratch.subarray(0, size)
    }

    /** Appends one record. The table is updated only after the write, so the next write overwrites a failed one. */
    const append = (
      kind: FileKind,
      file: number,
      offset: number,
      record: Uint8Array
    ): Effect.Effect<void, StorageError> => {
      const path = pathOf(kind, file)
      applyXor(ownKey, record, offset)
      hasNewFiles ||= offset === 0
      dirty.add(path)
      if (offset > 0) return handles.using(path, "read-write", (handle) => handle.write(record, offset))
      // Old content of a file with this name, such as undo data from before a rebuild, must not remain after the new
      // records.
      return handles.using(path, "create", (handle) => Effect.andThen(handle.truncate(0), handle.write(record, 0)))
    }

    const appendBlock: BlockFiles["appendBlock"] = (bytes, height) =>
      writing.withPermit(Effect.uninterruptible(Effect.suspend(() => {
        const record = scratchOf(RECORD_HEAD + bytes.length)
        const { file, offset } = table.roomForBlock(record.length, height)
        writeRecordHead(record, magic, bytes.length)
        record.set(bytes, RECORD_HEAD)
        return Effect.map(append("blk", file, offset, record), () => {
          table.addBlock(file, offset + record.length, height)
          return { file, offset: offset + RECORD_HEAD, size: bytes.length }
        })
      })))

    const appendUndo: BlockFiles["appendUndo"] = (blockFile, previousHash, undo, height) =>
      writing.withPermit(Effect.uninterruptible(Effect.suspend(() => {
        const record = scratchOf(RECORD_HEAD + undo.length + UNDO_CHECKSUM)
        const { file, offset } = table.roomForUndo(blockFile)
        writeRecordHead(record, magic, undo.length)
        record.set(undo, RECORD_HEAD)
        record.set(undoChecksum(previousHash, undo), RECORD_HEAD + undo.length)
        return Effect.map(append("rev", file, offset, record), () => {
          table.addUndo(file, offset + record.length, height)
          return { file, offset: offset + RECORD_HEAD, size: undo.length }
        })
      })))

    /** Reads the record at a position with its head, and checks magic and length. */
    const readRecord = (
      kind: FileKind,
      position: FilePosition,
      behind: number
    ): Effect.Effect<Uint8Array, StorageError> => {
      const isCore = position.file >= CORE_FILES
      if (isCore && coreBlocks === undefined) return Effect.fail(noCoreDirectory(position.file))
      const path = pathOf(kind, position.file)
      const offset = position.offset - RECORD_HEAD
      const size = RECORD_HEAD + position.size + behind
      const fault = (problem: string): StorageError => fileFault(kind, path, "read", problem, isCore)
      return Effect.flatMap(
        handles.using(path, "read", (handle) => handle.read(offset, size)),
        (record) => {
          if (record.length < size) return Effect.fail(fault(`ends within ${describe(kind, position)}`))
          applyXor(isCore ? coreKey : ownKey, record, offset)
          const problem = recordHeadFault(record, magic, position.size)
          return problem === undefined
            ? Effect.succeed(record)
            : Effect.fail(fault(`is damaged before ${describe(kind, position)}: ${problem}`))
        }
      )
    }

    const readBlock: BlockFiles["readBlock"] = (position) =>
      Effect.map(readRecord("blk", position, 0), (record) => record.subarray(RECORD_HEAD))

    const readUndo: BlockFiles["readUndo"] = (position, previousHash) =>
      Effect.flatMap(readRecord("rev", position, UNDO_CHECKSUM), (record) => {
        const end = RECORD_HEAD + position.size
        const undo = record.subarray(RECORD_HEAD, end)
        if (undoChecksum(previousHash, undo).compare(record, end) === 0) return Effect.succeed(undo)
        const problem = `is damaged: ${describe("rev", position)} do not fit their checksum`
        return Effect.fail(
          fileFault("rev", pathOf("rev", position.file), "read", problem, position.file >= CORE_FILES)
        )
      })

    const syncAll = Effect.fnUntraced(function*() {
      // After a failed sync the system may have dropped the bytes and may report success for the next sync.
      if (failedSync !== undefined) return yield* failedSync
      for (const path of dirty) {
        yield* Effect.tapError(
          handles.using(path, "read-write", (handle) => handle.sync),
          (error) => Effect.sync(() => void (failedSync = error))
        )
        dirty.delete(path)
      }
      if (hasNewFiles) yield* disk.syncDirectory(directory)
      hasNewFiles = false
    })

    const removeFiles: BlockFiles["removeFiles"] = Effect.fnUntraced(function*(files) {
      const present = new Set(yield* disk.list(directory))
      for (const file of files) {
        table.remove(file)
        for (const kind of ["blk", "rev"] as const) {
          const path = pathOf(kind, file)
          dirty.delete(path)
          yield* handles.forget(path)
          if (present.has(fileName(kind, file))) yield* disk.remove(path)
        }
      }
      if (files.length > 0) yield* disk.syncDirectory(directory)
    })

    return {
      uncommitted,
      findFirst: (bytes) => findFirstBlock({ disk, key: ownKey, magic }, directory, infos, bytes),
      appendBlock,
      appendUndo,
      adoptBlock: ({ file }, height) => {
        if (file < CORE_FILES) table.adoptBlock(file, height)
      },
      readBlock,
      readUndo,
      sync: writing.withPermit(Effect.uninterruptible(Effect.suspend(syncAll))),
      takeChangedInfo: table.takeChanged,
      info: table.all,
      divideAt: table.divideAt,
      written: table.written,
      removeFiles: (files) => writing.withPermit(removeFiles(files)),
      sizeOnDisk: table.size,
      close: writing.withPermit(Effect.andThen(Effect.suspend(syncAll), handles.closeAll))
    }
  }
)
