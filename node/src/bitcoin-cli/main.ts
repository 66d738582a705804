import { processWords } from "../bytes/process-words.ts"
import { thisMachine } from "../cli/machine.ts"
import { keepWriting, lostLine } from "../standard-streams.ts"
import { runClient } from "./run-client.ts"

const MILLISECONDS = 1_000

/**
 * Runs the program. The launcher reports its rejections.
 * @public
 */
export const run = async (): Promise<void> => {
  // Like Bitcoin Core's client, exits with the code of the call, whether or not its answer could be written.
  keepWriting({ lost: (why) => void process.stderr.write(lostLine("error", why)) })
  const { directory, home } = thisMachine()
  process.exitCode = await runClient(processWords(), {
    home,
    directory,
    platform: process.platform,
    now: () => Math.floor(Date.now() / MILLISECONDS)
  })
}
