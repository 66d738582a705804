import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { selectProvider } from "../../crypto/src/index.ts"
import { ENGINE_OPTIONS, startEngine } from "./engine-client.ts"
import { fanOutBlocks } from "./fan-out-chain.ts"
import { answerParent } from "./in-child.ts"
import { inTemporaryDirectory } from "./temporary-directory.ts"

export interface StopFigures {
  readonly seconds: number
  /** Coins that the stop had to write. */
  readonly changes: number
}

/** Blocks of one file; the engine is looked at between files. */
const BLOCKS_PER_FILE = 10
const MOST_FILES = 40
/** Coins that are changed and not yet written: by then the cache has shown how many it lets come together. */
const FULL = 0.9

/** Fills the cache with coins that are not on disk, about as many as it ever holds, and stops. */
await answerParent(() => inTemporaryDirectory(async (directory): Promise<StopFigures> => {
  const selection = selectProvider()
  if (!selection.ok) throw new Error("there is no crypto provider")
  const blocks = fanOutBlocks(selection.provider.crypto)
  const engine = await startEngine({ ...ENGINE_OPTIONS, directory })
  const file = join(directory, "fan-out.dat")
  let most = 0
  let commits = 0
  let before = 0
  for (let files = 0; files < MOST_FILES; files++) {
    // The first ones make nothing: their coinbases have to grow old.
    const count = files === 0 ? 100 + BLOCKS_PER_FILE : BLOCKS_PER_FILE
    writeFileSync(file, Buffer.concat(Array.from({ length: count }, () => blocks.next().value)))
    await engine.call("importFiles", { paths: [file] })
    const { cacheChanges } = engine.state()
    if (cacheChanges < before) commits++
    before = cacheChanges
    most = Math.max(most, cacheChanges)
    if (commits >= 2 && cacheChanges >= FULL * most) break
  }
  const start = performance.now()
  await engine.close()
  return { seconds: (performance.now() - start) / 1_000, changes: before }
}))
