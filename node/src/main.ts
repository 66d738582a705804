import { processWords } from "./bytes/process-words.ts"
import { reportLostOutput } from "./cli/lost-output.ts"
import { mayRunNode } from "./cli/may-run-node.ts"
import type { SentCall } from "./cli/quick/quick-rpc.ts"
import { prepareEngineWorker } from "./engine-client/engine-worker.ts"
import { keepWriting } from "./standard-streams.ts"

/**
 * Executes the command line. `sent` is its call if `cli/quick/main.ts` has already sent it. The launcher reports a
 * rejection.
 *
 * @public
 */
export const run = async (sent?: SentCall): Promise<void> => {
  const args = processWords()
  keepWriting({ lost: reportLostOutput(args) })
  // Before the command line is parsed it is unknown whether the node will run; an unneeded thread costs only time.
  if (mayRunNode(args)) prepareEngineWorker()
  if (sent === undefined) {
    const { runCli } = await import("./cli/run-cli.ts")
    process.exitCode = await runCli(args)
  } else {
    const { concludeCall } = await import("./cli/quick/conclude-call.ts")
    process.exitCode = await concludeCall(sent)
  }
}
