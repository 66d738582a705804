import * as Effect from "effect/Effect"
import type { EngineRefusal } from "../engine/calls/engine-calls.ts"
import type { ChainEngine } from "../engine/chain-engine.ts"
import { asRefusal, type Writer } from "../engine/writer.ts"
import { type BlockSource, sourceAt } from "./block-source.ts"
import { importSession } from "./import-session.ts"

export interface ImportSummary {
  /** Blocks that were not here before. */
  readonly blocks: number
  /** Blocks whose parents are in none of the files. */
  readonly waiting: number
}

const PROGRESS_BYTES = 1024 * 1024

/** Tells how many bytes of all are done, now and then. */
export const importProgress = (engine: Pick<ChainEngine, "tell">, task: string, total: number): (done: number) => void => {
  let told = -PROGRESS_BYTES
  return (done) => {
    if (done - told < PROGRESS_BYTES && done < total) return
    told = done
    engine.tell({ _tag: "Progress", task, done, total })
  }
}

/** Takes in the blocks of files from elsewhere; what is new of them is copied into files of our own. */
export const importFiles = Effect.fn("maintenance.importFiles")(function*(
  engine: ChainEngine,
  writer: Writer,
  paths: ReadonlyArray<string>
): Effect.fn.Return<ImportSummary, EngineRefusal> {
  const { disk, network } = engine
  // All files are looked at before the first is read, so that a typing error is found at once.
  const sources: Array<{ readonly source: BlockSource; readonly size: number }> = []
  for (const path of paths) {
    const source = yield* asRefusal(sourceAt(disk, path, network.magic))
    const size = yield* asRefusal(Effect.acquireUseRelease(disk.open(path, "read"), (file) => file.size, (file) => file.close))
    sources.push({ source, size })
  }
  const total = sources.reduce((sum, { size }) => sum + size, 0)
  const progress = importProgress(engine, "import", total)
  const session = importSession(engine, writer)
  let before = 0
  yield* Effect.ensuring(
    Effect.gen(function*() {
      for (const { size, source } of sources) {
        yield* session.read(source, (bytes) => progress(before + bytes))
        before += size
        progress(before)
      }
    }),
    session.close
  )
  return { blocks: session.taken(), waiting: session.waiting() }
})
