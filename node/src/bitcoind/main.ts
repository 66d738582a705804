import { processWords } from "../bytes/process-words.ts"
import { prepareEngineWorker } from "../engine-client/engine-worker.ts"
import { keepWriting, lostLine } from "../standard-streams.ts"

const ENDS_SOON = /^--?(?:h|help|help-debug|version|\?|daemon|daemonwait)(?:=|$)/

/**
 * Carries out the program. The launcher reports what it rejects with.
 *
 * @public
 */
export const run = async (): Promise<void> => {
  // What this program makes is for its user alone.
  process.umask(0o077)
  keepWriting({ lost: (why) => void process.stderr.write(lostLine("Warning", why)) })
  const words = processWords()
  // A thread in vain costs only time.
  if (!words.some((word) => ENDS_SOON.test(word))) prepareEngineWorker()
  const { runBitcoind } = await import("./run/run-bitcoind.ts")
  process.exitCode = await runBitcoind(words)
}
