import { processWords } from "../bytes/process-words.ts"
import { thisMachine } from "../cli/machine.ts"
import { runClient } from "./run-client.ts"

const MILLISECONDS = 1_000

/**
 * Carries out the program. The launcher reports what it rejects with.
 *
 * @public
 */
export const run = async (): Promise<void> => {
  // A reader that has seen enough is no error.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error
    })
  }
  const { directory, home } = thisMachine()
  process.exitCode = await runClient(processWords(), {
    home,
    directory,
    platform: process.platform,
    now: () => Math.floor(Date.now() / MILLISECONDS)
  })
}
