import * as Effect from "effect/Effect"
import type { EngineFault } from "../engine/api/engine-error.ts"
import type { ChainEngine } from "../engine/state/chain-engine.ts"
import type { Writer } from "../engine/chainstate/writer.ts"
import { ensuring } from "../finalizers/finalizers.ts"
import type { BlockSource } from "./block-source.ts"
import { type OutOfOrderImport, outOfOrderImport } from "./out-of-order-import.ts"
import { importBlocks } from "./import-blocks.ts"
import { importHeaders } from "./import-headers.ts"

/** A block file and its size. */
export interface SizedSource {
  readonly source: BlockSource
  readonly size: number
}

export interface ImportSummary {
  /** Number of blocks that were not stored before. */
  readonly blocks: number
  /** Number of stored blocks that cannot be connected because an ancestor is missing. */
  readonly waiting: number
  /** Files without any block of this network that was accepted, was stored before, or waits. */
  readonly withoutBlocks: ReadonlyArray<string>
}

const PROGRESS_BYTES = 1024 * 1024

/** Reports from time to time how many bytes of all files are done. */
const progressOf = (engine: Pick<ChainEngine, "notify">, task: string, total: number): (done: number) => void => {
  let reported = -PROGRESS_BYTES
  return (done) => {
    if (done - reported < PROGRESS_BYTES && done < total) return
    reported = done
    engine.notify({ _tag: "Progress", task, done, total })
  }
}

const readAll = Effect.fnUntraced(function*(
  session: OutOfOrderImport,
  files: ReadonlyArray<SizedSource>,
  progress: (done: number) => void,
  afterEach: Effect.Effect<void, EngineFault>
) {
  let before = 0
  for (const { size, source } of files) {
    yield* session.read(source, (bytes) => progress(before + bytes))
    before += size
    progress(before)
    yield* afterEach
  }
})

/** Ends the work of a session before its files are closed. */
const using = <S extends OutOfOrderImport, A>(
  session: S,
  use: (session: S) => Effect.Effect<A, EngineFault>
): Effect.Effect<A, EngineFault> => ensuring(use(session), session.close)

/** Blocks of files that were accepted, and those that wait. */
export interface BlockSession extends OutOfOrderImport {
  /** Number of blocks that were not stored before. */
  readonly imported: () => number
}

export const blockSession = (engine: ChainEngine, writer: Writer): BlockSession => {
  let imported = 0
  return { ...outOfOrderImport(engine, writer, importBlocks(engine, () => void imported++)), imported: () => imported }
}

/**
 * Imports all blocks of these files: first their headers, so that the chain of each block is known, then the blocks.
 * `afterEach` runs after each file of the second round.
 */
export const importSourcesWith = Effect.fn("maintenance.takeFiles")(function*(
  engine: ChainEngine,
  writer: Writer,
  task: string,
  files: ReadonlyArray<SizedSource>,
  session: BlockSession,
  afterEach: Effect.Effect<void, EngineFault>
): Effect.fn.Return<ImportSummary, EngineFault> {
  const total = files.reduce((sum, { size }) => sum + size, 0)
  yield* using(
    outOfOrderImport(engine, writer, importHeaders(engine)),
    (headers) => readAll(headers, files, progressOf(engine, `${task}: headers`, total), Effect.void)
  )
  yield* readAll(session, files, progressOf(engine, task, total), afterEach)
  let unlinked = 0
  for (const nodes of engine.tree.unlinked.values()) unlinked += nodes.length
  const withoutBlocks = files.flatMap(({ source }) => session.holdsNone(source) ? [source.path] : [])
  return { blocks: session.imported(), waiting: session.waiting() + unlinked, withoutBlocks }
})

/** Does the same in one session that ends with it. */
export const importSources = (
  engine: ChainEngine,
  writer: Writer,
  task: string,
  files: ReadonlyArray<SizedSource>
): Effect.Effect<ImportSummary, EngineFault> =>
  using(blockSession(engine, writer), (session) => importSourcesWith(engine, writer, task, files, session, Effect.void))
