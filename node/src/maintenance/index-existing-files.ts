import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { join } from "node:path"
import type { EngineFault } from "../engine/api/engine-error.ts"
import { yieldToEventLoop } from "../engine/options/yield-to-event-loop.ts"
import type { ChainEngine } from "../engine/state/chain-engine.ts"
import { untilSpaceIsEnough } from "../engine/chainstate/disk-full.ts"
import { pushState } from "../engine/chainstate/push-state.ts"
import { notifyLog } from "../engine/notify/notifications.ts"
import type { Writer } from "../engine/chainstate/writer.ts"
import { acquireRelease, acquireUseRelease, ensuring } from "../finalizers/finalizers.ts"
import { CORE_FILES } from "../storage/block-files/block-files.ts"
import { fileName, parseFileName } from "../storage/block-files/file-names.ts"
import { NO_XOR, readXorKey, type XorKey } from "../storage/block-files/xor-key.ts"
import { KeySpace, namedKey } from "../storage/key-space.ts"
import type { StorageError } from "../storage/storage-error.ts"
import { type ExistingFilesRecord, ADOPTED, decodeAdoptRecord } from "./existing-files-record.ts"
import { type BlockSource, sourceInPlace, sourceToCopy } from "./block-source.ts"
import { blockSession, type ImportSummary, type SizedSource, importSourcesWith } from "./import-sources.ts"

/** A file whose blocks are to be imported. */
export interface FileToAdopt extends SizedSource {
  readonly number: number
}

/** Files to import, and the record of the finished ones. */
export interface Adoption {
  readonly files: ReadonlyArray<FileToAdopt>
  /** Numbers of those of `files` that are not finished. */
  readonly pending: Set<number>
  readonly record: () => ExistingFilesRecord
  /** True if the work is so short that it is done before the engine accepts calls. */
  readonly isShort: boolean
}

/** Number of bytes that are read in about a second. */
const SHORT_BYTES = 4 * 1024 * 1024

/** Interval at which new headers are compared with the waiting blocks, and how many of them at a time. */
const LOOK_AGAIN = Duration.millis(250)
const HEADERS_AT_ONCE = 50_000

const sizeAt = ({ disk }: ChainEngine, path: string): Effect.Effect<number, StorageError> =>
  acquireUseRelease(disk.open(path, "read"), (file) => file.size, (file) => file.close)

/** Makes the source of a numbered file: in place, or as copies. */
type SourceOf = (path: string, number: number, key: XorKey) => BlockSource

/** Returns every block file of a directory, by number. */
const blockFilesIn = Effect.fnUntraced(
  function*(engine: ChainEngine, directory: string, from: number, sourceOf: SourceOf) {
    const { disk } = engine
    const names = yield* disk.list(directory)
    const key: XorKey = (yield* readXorKey(disk, directory, names)) ?? NO_XOR
    const files: Array<FileToAdopt> = []
    for (const name of names) {
      const parsed = parseFileName(name)
      if (parsed?.kind !== "blk") continue
      const path = join(directory, fileName("blk", parsed.number))
      const number = from + parsed.number
      files.push({ number, size: yield* sizeAt(engine, path), source: sourceOf(path, number, key) })
    }
    return files.sort((a, b) => a.number - b.number)
  }
)

/** Returns the node's own files whose blocks the chain does not know yet, because a rebuild is under way or begins. */
const ownPending = (engine: ChainEngine, record: ExistingFilesRecord | undefined): ReadonlyArray<number> =>
  record?.own ??
    engine.files.info().filter(({ blockBytes, blocks }) => blocks === 0 && blockBytes > 0).map(({ file }) => file)

/**
 * Finds the files to import. The node's own are imported in a rebuild, in place. Bitcoin Core's are imported if they
 * are new or longer, in place or as copies.
 */
export const findFilesToAdopt = Effect.fnUntraced(function*(
  engine: ChainEngine,
  ownDirectory: string
): Effect.fn.Return<Adoption, StorageError> {
  const { network: { magic }, options: { copyCoreBlocks = false, coreBlocks }, store } = engine
  const entry = yield* store.get(namedKey(KeySpace.meta, ADOPTED))
  const known = entry && decodeAdoptRecord(entry)
  const whole = new Set(ownPending(engine, known))
  const starts = new Map([...engine.files.uncommitted].filter(([file]) => !whole.has(file)))
  const inPlace: SourceOf = (path, number, key) => sourceInPlace(path, number, magic, key, starts.get(number))
  const copied: SourceOf = (path, _, key) => sourceToCopy(path, magic, key)
  const own = new Set([...whole, ...starts.keys()])
  const ownFiles = own.size === 0
    ? []
    : (yield* blockFilesIn(engine, ownDirectory, 0, inPlace)).filter(({ number }) => own.has(number))
  const done = new Map(known?.reference?.directory === coreBlocks ? known?.reference?.done : [])
  const theirs = coreBlocks === undefined
    ? []
    : yield* blockFilesIn(engine, coreBlocks, CORE_FILES, copyCoreBlocks ? copied : inPlace)
  const theirNew = theirs.filter(({ number, size }) => done.get(number) !== size)
  const files = [...ownFiles, ...theirNew]
  const pending = new Set(files.map(({ number }) => number))
  const bytes = files.reduce((sum, { number, size }) => sum + size - (starts.get(number) ?? 0), 0)
  return {
    files,
    isShort: bytes <= SHORT_BYTES && whole.size === 0,
    pending,
    record: () => ({
      own: ownFiles.map(({ number }) => number).filter((number) => pending.has(number)),
      reference: coreBlocks === undefined
        ? undefined
        : {
          directory: coreBlocks,
          done: theirs.filter(({ number }) => !pending.has(number)).map(({ number, size }) => [number, size] as const)
        }
    })
  }
})

/** The work on files to import. */
export interface Adopting {
  /** Imports the blocks of all these files. */
  readonly take: Effect.Effect<ImportSummary, EngineFault>
  /**
   * Accepts waiting blocks once their parents arrive, and ends when none waits any more. Runs after `take`, however
   * that ended. It reports when everything that can be accepted is.
   */
  readonly follow: Effect.Effect<void, EngineFault>
}

/**
 * Imports files in place. A file is finished when none of its blocks waits for a parent any more. The node's own blocks
 * that wait because of damage or pruning need not be fetched again when their parent arrives, even after another start.
 * Those in Bitcoin Core's directory are not read again then, because many of them may never find a parent.
 */
export const indexExistingFiles = (
  engine: ChainEngine,
  writer: Writer,
  { files, pending }: Adoption
): Effect.Effect<Adopting, never, Scope.Scope> =>
  Effect.map(acquireRelease(Effect.sync(() => blockSession(engine, writer)), ({ close }) => close), (session) => {
    const { tree } = engine
    let read = 0
    let known = tree.nodes.length
    engine.loadingBlocks = files.length > 0
    const isOver = ({ source }: FileToAdopt): boolean => session.waitingIn(source) === 0

    /** Writes the record with the next commit, not before that of the blocks. */
    const settle = (isDone: (file: FileToAdopt) => boolean): Effect.Effect<void, EngineFault> =>
      Effect.suspend(() => {
        const done = files.filter((file) => pending.has(file.number) && isDone(file))
        if (done.length === 0) return Effect.void
        return Effect.andThen(
          untilSpaceIsEnough(engine),
          writer.change(Effect.sync(() => {
            for (const { number } of done) pending.delete(number)
            engine.dirty = true
          }))
        )
      })

    const take = Effect.fn("maintenance.indexExistingFiles")(
      function*(): Effect.fn.Return<ImportSummary, EngineFault> {
        if (files.length === 0) return { blocks: 0, waiting: 0, withoutBlocks: [] }
        const total = files.reduce((sum, { size }) => sum + size, 0)
        notifyLog(engine, "info", "Block files are taken in", { files: files.length, bytes: total })
        const afterEach = Effect.suspend(() => {
          read++
          return settle((file) => files.indexOf(file) < read && isOver(file))
        })
        const summary = yield* importSourcesWith(engine, writer, "rebuild", files, session, afterEach)
        yield* settle((file) => file.number >= CORE_FILES || isOver(file))
        notifyLog(engine, "info", "Block files were taken in", { blocks: summary.blocks, waiting: summary.waiting })
        return summary
      }
    )

    const notifyAccepted = (): void => {
      if (!engine.loadingBlocks) return
      engine.loadingBlocks = false
      // Otherwise the commit sends the state, which does not show uncommitted blocks.
      if (engine.initialBlockDownload || !engine.dirty) pushState(engine)
    }

    const acceptWaiting = Effect.fnUntraced(function*() {
      while (known < tree.nodes.length) {
        const headers = tree.nodes.slice(known, known + HEADERS_AT_ONCE)
        yield* session.takeUp(headers.map(({ hash }) => hash))
        known += headers.length
        yield* settle(isOver)
        yield* yieldToEventLoop
      }
    })

    const follow = Effect.gen(function*() {
      engine.isAwaited = session.isAwaited
      while (session.waiting() > 0) {
        yield* acceptWaiting()
        notifyAccepted()
        yield* Effect.sleep(LOOK_AGAIN)
      }
    }).pipe(ensuring(Effect.sync(() => {
      engine.isAwaited = undefined
      notifyAccepted()
    })))

    return { take: take(), follow }
  })
