import { processWords } from "./bytes/process-words.ts"
import { reportLostOutput } from "./cli/lost-output.ts"
import { mayRunNode } from "./cli/may-run-node.ts"
import type { SentCall } from "./cli/quick/quick-rpc.ts"
import { prepareEngineWorker } from "./engine-client/engine-worker.ts"
import { keepWriting } from "./standard-streams.ts"

/**
 * Carries out the command line; `sent` is a call of it that was sent already (`cli/quick/main.ts`). The launcher reports
 * what it rejects with.
 *
 * @public
 */
export const run = async (sent?: SentCall): Promise<void> => {
  const args = processWords()
  keepWriting({ lost: reportLostOutput(args) })
  // Whether the node is to run cannot be known before the command line is read; a thread in vain costs only time.
  if (mayRunNode(args)) prepareEngineWorker()
  if (sent === undefined) {
    const { runCli } = await import("./cli/run-cli.ts")
    process.exitCode = await runCli(args)
  } else {
    const { concludeCall } = await import("./cli/quick/conclude-call.ts")
    process.exitCode = await concludeCall(sent)
  }
}
