import { ENGINE_OPTIONS, startEngine } from "./engine-client.ts"
import { answerParent } from "./in-child.ts"
import { inTemporaryDirectory } from "./temporary-directory.ts"

export interface GenerateAsked {
  readonly blocks: number
}

const OP_TRUE = Uint8Array.of(0x51)

/** Mines blocks on a fresh chain in one call; answers the seconds that took, until they are on disk. */
await answerParent(({ blocks }: GenerateAsked) =>
  inTemporaryDirectory(async (directory) => {
    const engine = await startEngine({ ...ENGINE_OPTIONS, directory })
    const start = performance.now()
    const { hashes } = await engine.call("generate", {
      script: OP_TRUE,
      blocks,
      maxTries: 1_000_000,
      transactions: [],
      submit: true
    })
    const seconds = (performance.now() - start) / 1_000
    if (hashes.length !== blocks || engine.state().height !== blocks) {
      throw new Error(`of ${blocks} blocks ${hashes.length} were mined`)
    }
    await engine.close()
    return seconds
  })
)
