import { processWords } from "../../bytes/process-words.ts"
import { keepWriting } from "../../standard-streams.ts"
import { versionText } from "../../version.ts"
import { reportLostOutput } from "../lost-output.ts"
import { type SentCall, quickRpc } from "./quick-rpc.ts"

const VERSION = /^(?:version|--?version)$/

/**
 * Executes commands that need little of the node's code, in a separate program that loads in a tenth of the time.
 * Returns "done" if the command is complete. Otherwise the whole command line continues from the result.
 *
 * @public
 */
export const run = async (): Promise<"done" | SentCall | undefined> => {
  const args = processWords()
  keepWriting({ lost: reportLostOutput(args) })
  if (args.length !== 1 || !VERSION.test(args[0]!)) return quickRpc(args)
  process.stdout.write(`${versionText()}\n`)
  return "done"
}
