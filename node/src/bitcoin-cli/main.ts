import { processWords } from "../bytes/process-words.ts"
import { thisMachine } from "../cli/machine.ts"
import { keepWriting, lostLine } from "../standard-streams.ts"
import { runClient } from "./run-client.ts"

const MILLISECONDS = 1_000

/**
 * Carries out the program. The launcher reports what it rejects with.
 *
 * @public
 */
export const run = async (): Promise<void> => {
  // Bitcoin Core's client ends as the call did, whether its answer is written or not.
  keepWriting({ lost: (why) => void process.stderr.write(lostLine("error", why)) })
  const { directory, home } = thisMachine()
  process.exitCode = await runClient(processWords(), {
    home,
    directory,
    platform: process.platform,
    now: () => Math.floor(Date.now() / MILLISECONDS)
  })
}
