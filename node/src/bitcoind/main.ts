import { processWords } from "../bytes/process-words.ts"
import { prepareEngineWorker } from "../engine-client/engine-worker.ts"
import { keepWriting, lostLine } from "../standard-streams.ts"

const ENDS_SOON = /^--?(?:h|help|help-debug|version|\?|daemon|daemonwait)(?:=|$)/

/**
 * Runs the program. The launcher reports errors that it rejects with.
 *
 * @public
 */
export const run = async (): Promise<void> => {
  // Files of this program are readable by its user only.
  process.umask(0o077)
  keepWriting({ lost: (why) => void process.stderr.write(lostLine("Warning", why)) })
  const words = processWords()
  // An unneeded thread costs only time.
  if (!words.some((word) => ENDS_SOON.test(word))) prepareEngineWorker()
  const { runBitcoind } = await import("./run/run-bitcoind.ts")
  process.exitCode = await runBitcoind(words)
}
