import { ENGINE_OPTIONS, startEngine } from "./engine-client.ts"
import type { HeadersAsked } from "./headers-program.ts"
import { answerParent } from "./in-child.ts"

/** Starts on a data directory; answers the seconds from the start of the process until the engine can be asked. */
await answerParent(async ({ count, directory }: HeadersAsked) => {
  const engine = await startEngine({ ...ENGINE_OPTIONS, directory })
  const seconds = performance.now() / 1_000
  if (engine.state().headersHeight !== count) {
    throw new Error(`after the restart there are ${engine.state().headersHeight} headers of ${count}`)
  }
  await engine.close()
  return seconds
})
