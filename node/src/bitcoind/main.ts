import { processWords } from "../bytes/process-words.ts"
import { prepareEngineWorker } from "../engine-client/engine-worker.ts"

const ENDS_SOON = /^--?(?:h|help|help-debug|version|\?|daemon|daemonwait)(?:=|$)/

/**
 * Carries out the program. The launcher reports what it rejects with.
 *
 * @public
 */
export const run = async (): Promise<void> => {
  // What this program makes is for its user alone.
  process.umask(0o077)
  // A reader that has seen enough is no error, and whether its output is read does not stop a node.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error
    })
  }
  const words = processWords()
  // A thread in vain costs only time.
  if (!words.some((word) => ENDS_SOON.test(word))) prepareEngineWorker()
  const { runBitcoind } = await import("./run/run-bitcoind.ts")
  process.exitCode = await runBitcoind(words)
}
