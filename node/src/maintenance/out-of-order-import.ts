import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { EngineFault } from "../engine/api/engine-error.ts"
import type { ChainEngine } from "../engine/state/chain-engine.ts"
import type { ConnectError } from "../engine/chainstate/connect-error.ts"
import { untilSpaceIsEnough } from "../engine/chainstate/disk-full.ts"
import { notifyLog } from "../engine/notify/notifications.ts"
import { isEnding, spaceFault } from "../engine/state/engine-status.ts"
import { asFault } from "../engine/chainstate/faults.ts"
import type { Writer } from "../engine/chainstate/writer.ts"
import { acquireUseRelease, ensuring } from "../finalizers/finalizers.ts"
import { displayHash } from "../hex.ts"
import { fileHandles } from "../storage/block-files/file-handles.ts"
import { type FoundRecord, readBlockRecords } from "../storage/block-files/read-block-records.ts"
import { type BlockSource, readAgain } from "./block-source.ts"
import { rendezvous } from "./rendezvous.ts"
import { type BlockSpot, waitingBlocks } from "./waiting-blocks.ts"

/** Number of files that stay open for waiting items. */
const OPEN_FILES = 8

/** Reads and accepts one kind of item. */
export interface Importer<A> {
  /** Number of bytes read of each record; `undefined` for all. */
  readonly head: number | undefined
  /** Number of those bytes passed on at a time. */
  readonly chunkBytes: number
  /** Decodes an item. Returns `undefined` for invalid bytes. */
  readonly decode: (bytes: Uint8Array) => A | undefined
  readonly hashOf: (item: A) => Uint8Array
  readonly previousOf: (item: A) => Uint8Array
  /** Reports whether this item has been accepted. */
  readonly isHere: (item: A) => boolean
  /** Reports whether the item may have a parent that arrives later. A damaged item does not wait for one. */
  readonly mayWait: (item: A) => boolean
  /** Reports whether an item may have the block with this hash as its parent. */
  readonly isParent: (hash: Uint8Array) => boolean
  readonly accept: (item: A, source: BlockSource, offset: number) => Effect.Effect<void, ConnectError>
  /** Ends a turn. */
  readonly conclude: Effect.Effect<void, ConnectError>
  /** Runs after a turn, however it ended. */
  readonly release: Effect.Effect<void>
}

/** Accepts the items of files in any order, each after its parent. */
export interface OutOfOrderImport {
  /** Reads a whole file; `progress` is called with the bytes read so far. */
  readonly read: (source: BlockSource, progress: (bytes: number) => void) => Effect.Effect<void, EngineFault>
  /** Accepts items that waited for these parents, which have arrived from elsewhere. Not while a file is read. */
  readonly takeUp: (parents: ReadonlyArray<Uint8Array>) => Effect.Effect<void, EngineFault>
  /** Number of items whose parents have not been read. */
  readonly waiting: () => number
  /** Reports whether an item may wait for this parent. */
  readonly isAwaited: (parent: Uint8Array) => boolean
  /** Number of waiting items of one file. */
  readonly waitingIn: (source: BlockSource) => number
  /** Reports whether a finished file contains no item that was accepted, was stored before, or waits. */
  readonly holdsNone: (source: BlockSource) => boolean
  readonly close: Effect.Effect<void>
}

interface Arrived<A> {
  readonly item: A
  readonly source: number
  readonly offset: number
  readonly size: number
}

/** Makes an import. Of a file it keeps only the items being accepted and the positions of those that wait. */
export const outOfOrderImport = <A>(engine: ChainEngine, writer: Writer, importer: Importer<A>): OutOfOrderImport => {
  const { disk } = engine
  const handles = fileHandles(disk, OPEN_FILES)
  const sources: Array<BlockSource> = []
  const waiting = waitingBlocks()
  /** Numbers of the files that contain useful items. */
  const useful = new Set<number>()
  /** Items that waited and whose parents have arrived. */
  const ready: Array<BlockSpot> = []
  let arrived: Array<Arrived<A>> = []
  let arrivedBytes = 0
  /** Items for the next turn or the present one, while more is read. */
  const chunks = rendezvous<ReadonlyArray<Arrived<A>>>()
  /** The turn that accepts items while the next ones are read. */
  let underWay: Fiber.Fiber<void, EngineFault> | undefined

  const accept = Effect.fnUntraced(function*({ item, offset, size, source }: Arrived<A>) {
    if (importer.isHere(item)) return void useful.add(source)
    const [hash, previous] = [importer.hashOf(item), importer.previousOf(item)]
    if (!importer.isParent(hash) && !importer.isParent(previous) && importer.mayWait(item)) {
      waiting.add(previous, { source, offset, size })
      useful.add(source)
      return notifyLog(engine, "debug", "A block of a file waits for its parent", {
        block: displayHash(hash),
        parent: displayHash(previous)
      })
    }
    yield* importer.accept(item, sources[source]!, offset)
    if (importer.isHere(item)) useful.add(source)
    if (importer.isParent(hash)) ready.push(...waiting.take(hash))
  })

  const reread = ({ offset, size, source }: BlockSpot): Effect.Effect<Uint8Array | undefined> => {
    const from = sources[source]!
    return handles.using(from.path, "read", (file) => readAgain(file, from, offset, size)).pipe(
      // A file from elsewhere may disappear while it is read, which is no failure of the node's storage.
      Effect.catch(({ message }) => {
        notifyLog(engine, "warn", "A block of an imported file can no longer be read", { cause: message })
        return Effect.succeed(undefined)
      })
    )
  }

  /** Reports whether the present turn of the writer has to end, although more may remain to accept. */
  const isOver = (): boolean => isEnding(engine) || spaceFault(engine) !== undefined || writer.isWanted()

  const acceptReady = Effect.fnUntraced(function*() {
    while (ready.length > 0) {
      const spot = ready.shift()!
      const again = yield* reread(spot)
      const item = again && importer.decode(again)
      if (item !== undefined) {
        notifyLog(engine, "debug", "A block that waited for its parent is taken in", {
          block: displayHash(importer.hashOf(item)),
          parent: displayHash(importer.previousOf(item))
        })
        yield* accept({ ...spot, item })
      }
      if (isOver()) return
    }
  })

  /** Runs one turn of the writer, as long as items arrive and no other task wants the turn: ending a turn takes time. */
  const turn = (items: ReadonlyArray<Arrived<A>>): Effect.Effect<void, EngineFault> =>
    Effect.andThen(
      untilSpaceIsEnough(engine),
      writer.change(
        Effect.gen(function*(): Effect.fn.Return<void, ConnectError> {
          for (let chunk: ReadonlyArray<Arrived<A>> | undefined = items; chunk !== undefined;) {
            for (const each of chunk) yield* accept(each)
            yield* acceptReady()
            chunk = isOver() ? undefined : yield* chunks.takeSoon
          }
          yield* importer.conclude
        }).pipe(ensuring(importer.release))
      )
    )

  const turns = (first: ReadonlyArray<Arrived<A>>): Effect.Effect<void, EngineFault> =>
    Effect.gen(function*() {
      for (
        let items: ReadonlyArray<Arrived<A>> | undefined = first;
        items !== undefined;
        items = chunks.takeOrLeave()
      ) {
        yield* turn(items)
        while (ready.length > 0) yield* turn([])
      }
    }).pipe(ensuring(Effect.sync(chunks.leave)))

  /** Accepts an item that arrived, after the items before it. */
  const passOn = Effect.fnUntraced(function*() {
    const items = arrived
    arrived = []
    arrivedBytes = 0
    if (yield* chunks.put(items)) return
    if (underWay !== undefined) yield* Fiber.join(underWay)
    chunks.begin()
    underWay = yield* Effect.forkChild(turns(items))
  })

  const take = (source: number, { bytes, offset }: FoundRecord): Effect.Effect<boolean, EngineFault> =>
    Effect.suspend(() => {
      const item = importer.decode(bytes)
      if (item === undefined) return Effect.succeed(false)
      if (importer.isHere(item)) {
        useful.add(source)
        return Effect.succeed(true)
      }
      arrived.push({ item, source, offset, size: bytes.length })
      arrivedBytes += bytes.length
      return arrivedBytes < importer.chunkBytes ? Effect.succeed(true) : Effect.as(passOn(), true)
    })

  const read = Effect.fnUntraced(function*(source: BlockSource, progress: (bytes: number) => void) {
    const number = sources.push(source) - 1
    const layout = importer.head === undefined ? source.layout : { ...source.layout, head: importer.head }
    const visit = (record: FoundRecord): Effect.Effect<boolean, EngineFault> =>
      Effect.tap(take(number, record), () => Effect.sync(() => progress(record.offset + record.size)))
    yield* acquireUseRelease(
      asFault(disk.open(source.path, "read")),
      (file) => asFault(readBlockRecords(file, layout, visit)),
      (file) => file.close
    )
    yield* passOn()
    chunks.end()
    yield* Fiber.join(underWay!)
    underWay = undefined
  }, ensuring(Effect.sync(chunks.end)))

  return {
    read,
    takeUp: Effect.fnUntraced(function*(parents) {
      for (const hash of parents) ready.push(...waiting.take(hash))
      while (ready.length > 0) yield* turn([])
    }),
    waiting: waiting.count,
    isAwaited: waiting.has,
    waitingIn: (source) => waiting.countOf(sources.indexOf(source)),
    holdsNone: (source) => !useful.has(sources.indexOf(source)),
    close: Effect.suspend(() =>
      Effect.andThen(underWay === undefined ? Effect.void : Fiber.interrupt(underWay), handles.closeAll)
    )
  }
}
