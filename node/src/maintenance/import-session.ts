import { blockHash } from "@lockstep/kernel/model/identity.ts"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import { acceptBlock } from "../engine/accept.ts"
import { activateBestChain } from "../engine/activate.ts"
import type { EngineRefusal } from "../engine/calls/engine-calls.ts"
import { type ChainEngine, type IdentifiedBlock, identified } from "../engine/chain-engine.ts"
import type { ConnectError } from "../engine/connect.ts"
import { displayHash } from "../engine/display-hash.ts"
import { HeaderStatus } from "../engine/header-tree/header-status.ts"
import { has, nodeOf } from "../engine/header-tree/header-tree.ts"
import { blockOf } from "../engine/read-block.ts"
import { tellLog } from "../engine/tell.ts"
import { asRefusal, type Writer } from "../engine/writer.ts"
import { fileHandles } from "../storage/block-files/file-handles.ts"
import { type FoundRecord, readBlockRecords } from "../storage/block-files/read-block-records.ts"
import { type BlockSource, placeIn, readAgain } from "./block-source.ts"
import { type BlockSpot, waitingBlocks } from "./waiting-blocks.ts"

/** Bytes of blocks that are taken in at one turn of the writer: others have theirs in between. */
const TURN_BYTES = 8 * 1024 * 1024
/** Files that stay open for blocks that waited. */
const OPEN_FILES = 8

/** Takes in the blocks of files, in whatever order they stand there. */
export interface ImportSession {
  /** Reads a file from end to end; `progress` hears how far it has come, in bytes. */
  readonly read: (source: BlockSource, progress: (bytes: number) => void) => Effect.Effect<void, EngineRefusal>
  /** Blocks that were not here before. */
  readonly taken: () => number
  /** Blocks whose parents have not been met. */
  readonly waiting: () => number
  /** The same, of one file. */
  readonly waitingIn: (source: BlockSource) => number
  readonly close: Effect.Effect<void>
}

interface Arrived {
  readonly found: IdentifiedBlock
  readonly source: number
  readonly offset: number
}

/** A session on this chain. Nothing of a file is held but what is under way, and where blocks stand that wait. */
export const importSession = (engine: ChainEngine, writer: Writer): ImportSession => {
  const { crypto, disk, tree } = engine
  const handles = fileHandles(disk, OPEN_FILES)
  const sources: Array<BlockSource> = []
  const waiting = waitingBlocks()
  /** Blocks that waited and whose parents are here now. */
  const ready: Array<BlockSpot> = []
  let arrived: Array<Arrived> = []
  let arrivedBytes = 0
  let taken = 0
  /** Blocks being taken in while the next ones are read. */
  let underWay: Fiber.Fiber<void, EngineRefusal> | undefined

  const isKnown = (hash: Uint8Array): boolean => {
    const node = nodeOf(tree, hash)
    return node !== undefined && has(tree, node, HeaderStatus.STORED)
  }

  const accept = Effect.fnUntraced(function*({ found, offset, source }: Arrived) {
    const { block, identity } = found
    const { hash } = identity
    if (isKnown(hash)) return
    const size = block.bytes.length
    if (nodeOf(tree, hash) === undefined && nodeOf(tree, block.header.previous) === undefined) {
      waiting.add(block.header.previous, { source, offset, size })
      return
    }
    const verdict = yield* acceptBlock(engine, found, placeIn(sources[source]!, offset, size))
    if (Result.isFailure(verdict)) {
      const facts = { file: sources[source]!.path, offset, block: displayHash(hash), reason: verdict.failure.reason }
      tellLog(engine, "warn", "A block of an imported file is refused", facts)
    } else if (verdict.success.isNew) taken++
    // A block that is refused in its place leaves its header, which others may name as their parent.
    if (nodeOf(tree, hash) !== undefined) ready.push(...waiting.take(hash))
  })

  const reread = ({ offset, size, source }: BlockSpot): Effect.Effect<Uint8Array | undefined> => {
    const from = sources[source]!
    return handles.using(from.path, "read", (file) => readAgain(file, from, offset, size)).pipe(
      // Files from elsewhere may go away while they are read: that is no failure of our own storage.
      Effect.catch(({ message }) => {
        tellLog(engine, "warn", "A block of an imported file can no longer be read", { cause: message })
        return Effect.succeed(undefined)
      })
    )
  }

  const turn = (blocks: ReadonlyArray<Arrived>): Effect.Effect<void, EngineRefusal> =>
    writer.change(Effect.gen(function*(): Effect.fn.Return<void, ConnectError> {
      for (const each of blocks) yield* accept(each)
      let bytes = 0
      while (ready.length > 0 && bytes < TURN_BYTES) {
        const spot = ready.shift()!
        bytes += spot.size
        const again = yield* reread(spot)
        const block = again && blockOf(again)
        if (block !== undefined) yield* accept({ ...spot, found: identified(block, crypto) })
      }
      yield* activateBestChain(engine)
    }))

  const turns = Effect.fnUntraced(function*(blocks: ReadonlyArray<Arrived>) {
    yield* turn(blocks)
    while (ready.length > 0) yield* turn([])
  })

  /** Has what arrived taken in, once what came before is. */
  const passOn = Effect.fnUntraced(function*() {
    const blocks = arrived
    arrived = []
    arrivedBytes = 0
    if (underWay !== undefined) yield* Fiber.join(underWay)
    underWay = yield* Effect.forkChild(turns(blocks))
  })

  const take = (source: number, { bytes, offset }: FoundRecord): Effect.Effect<boolean, EngineRefusal> =>
    Effect.suspend(() => {
      const block = blockOf(bytes)
      if (block === undefined) return Effect.succeed(false)
      if (isKnown(blockHash(block.header, crypto))) return Effect.succeed(true)
      arrived.push({ found: identified(block, crypto), source, offset })
      arrivedBytes += bytes.length
      return arrivedBytes < TURN_BYTES ? Effect.succeed(true) : Effect.as(passOn(), true)
    })

  const read = Effect.fnUntraced(function*(source: BlockSource, progress: (bytes: number) => void) {
    const number = sources.push(source) - 1
    const visit = (record: FoundRecord): Effect.Effect<boolean, EngineRefusal> =>
      Effect.tap(take(number, record), () => Effect.sync(() => progress(record.offset + record.bytes.length)))
    yield* Effect.acquireUseRelease(
      asRefusal(disk.open(source.path, "read")),
      (file) => asRefusal(readBlockRecords(file, source.layout, visit)),
      (file) => file.close
    )
    yield* passOn()
    yield* Fiber.join(underWay!)
    underWay = undefined
  })

  return {
    read,
    taken: () => taken,
    waiting: waiting.count,
    waitingIn: (source) => waiting.countOf(sources.indexOf(source)),
    close: Effect.suspend(() => Effect.andThen(underWay === undefined ? Effect.void : Fiber.interrupt(underWay), handles.closeAll))
  }
}
