import { processWords } from "./bytes/process-words.ts"
import { mayRunNode } from "./cli/may-run-node.ts"
import type { SentCall } from "./cli/quick/quick-rpc.ts"
import { prepareEngineWorker } from "./engine-client/engine-worker.ts"

/**
 * Carries out the command line; `sent` is a call of it that was sent already (`cli/quick/main.ts`). The launcher reports
 * what it rejects with.
 *
 * @public
 */
export const run = async (sent?: SentCall): Promise<void> => {
  // A reader that has seen enough, such as `head`, is no error, and whether its output is read does not stop a node.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error
    })
  }
  const args = processWords()
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
