import * as Effect from "effect/Effect"
import type { EngineFault } from "../engine/api/engine-error.ts"
import type { ChainEngine } from "../engine/state/chain-engine.ts"
import { asFault } from "../engine/chainstate/faults.ts"
import type { Writer } from "../engine/chainstate/writer.ts"
import { acquireUseRelease } from "../finalizers/finalizers.ts"
import { sourceAt } from "./block-source.ts"
import { type ImportSummary, type SizedSource, importSources } from "./import-sources.ts"

/** Imports the blocks of other files; new ones are copied into the node's own files. */
export const importFiles = Effect.fn("maintenance.importFiles")(function*(
  engine: ChainEngine,
  writer: Writer,
  paths: ReadonlyArray<string>
): Effect.fn.Return<ImportSummary, EngineFault> {
  const { disk, network } = engine
  // All files are opened before the first is read, so that a mistyped path is found at once.
  const files: Array<SizedSource> = []
  for (const path of paths) {
    const source = yield* asFault(sourceAt(disk, path, network.magic))
    const size = yield* asFault(acquireUseRelease(disk.open(path, "read"), (file) => file.size, (file) => file.close))
    files.push({ source, size })
  }
  return yield* importSources(engine, writer, "import", files)
})
