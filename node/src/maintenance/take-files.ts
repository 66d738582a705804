import * as Effect from "effect/Effect"
import type { EngineRefusal } from "../engine/calls/engine-calls.ts"
import type { ChainEngine } from "../engine/chain-engine.ts"
import type { Writer } from "../engine/writer.ts"
import type { BlockSource } from "./block-source.ts"
import { type ParentsFirst, parentsFirst } from "./parents-first.ts"
import { takeBlocks } from "./take-blocks.ts"
import { takeHeaders } from "./take-headers.ts"

/** A file of blocks and how long it is. */
export interface SizedSource {
  readonly source: BlockSource
  readonly size: number
}

export interface ImportSummary {
  /** Blocks that were not here before. */
  readonly blocks: number
  /** Blocks that are here and cannot be connected, since one they stand on is not. */
  readonly waiting: number
}

const PROGRESS_BYTES = 1024 * 1024

/** Tells how many bytes of all are done, now and then. */
const progressOf = (engine: Pick<ChainEngine, "tell">, task: string, total: number): (done: number) => void => {
  let told = -PROGRESS_BYTES
  return (done) => {
    if (done - told < PROGRESS_BYTES && done < total) return
    told = done
    engine.tell({ _tag: "Progress", task, done, total })
  }
}

const readAll = Effect.fnUntraced(function*(
  session: ParentsFirst,
  files: ReadonlyArray<SizedSource>,
  progress: (done: number) => void,
  afterEach: Effect.Effect<void, EngineRefusal>
) {
  let before = 0
  for (const { size, source } of files) {
    yield* session.read(source, (bytes) => progress(before + bytes))
    before += size
    progress(before)
    yield* afterEach
  }
})

/** Ends what is under way in a session before its files are let go of. */
const using = <S extends ParentsFirst, A>(session: S, use: (session: S) => Effect.Effect<A, EngineRefusal>): Effect.Effect<A, EngineRefusal> =>
  Effect.ensuring(use(session), session.close)

/** What has been taken in of files, and what waits. */
export interface BlockSession extends ParentsFirst {
  /** Blocks that were not here before. */
  readonly taken: () => number
}

export const blockSession = (engine: ChainEngine, writer: Writer): BlockSession => {
  let taken = 0
  return { ...parentsFirst(engine, writer, takeBlocks(engine, () => void taken++)), taken: () => taken }
}

/**
 * Takes in all blocks of these files: their headers first, so that it is known what the blocks belong to, then they
 * themselves. `afterEach` follows each file of the second round.
 */
export const takeFilesWith = Effect.fn("maintenance.takeFiles")(function*(
  engine: ChainEngine,
  writer: Writer,
  task: string,
  files: ReadonlyArray<SizedSource>,
  session: BlockSession,
  afterEach: Effect.Effect<void, EngineRefusal>
): Effect.fn.Return<ImportSummary, EngineRefusal> {
  const total = files.reduce((sum, { size }) => sum + size, 0)
  yield* using(parentsFirst(engine, writer, takeHeaders(engine)), (headers) =>
    readAll(headers, files, progressOf(engine, `${task}: headers`, total), Effect.void))
  yield* readAll(session, files, progressOf(engine, task, total), afterEach)
  let unlinked = 0
  for (const nodes of engine.tree.unlinked.values()) unlinked += nodes.length
  return { blocks: session.taken(), waiting: session.waiting() + unlinked }
})

/** The same, once and for all. */
export const takeFiles = (
  engine: ChainEngine,
  writer: Writer,
  task: string,
  files: ReadonlyArray<SizedSource>
): Effect.Effect<ImportSummary, EngineRefusal> =>
  using(blockSession(engine, writer), (session) => takeFilesWith(engine, writer, task, files, session, Effect.void))
