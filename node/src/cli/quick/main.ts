import { processWords } from "../../bytes/process-words.ts"
import { keepWriting } from "../../standard-streams.ts"
import { versionText } from "../../version.ts"
import { reportLostOutput } from "../lost-output.ts"
import { type SentCall, quickRpc } from "./quick-rpc.ts"

const VERSION = /^(?:version|--?version)$/

/**
 * Carries out what needs little of the node's code, in a program of its own: it loads in a tenth of the time. `"done"`:
 * nothing is left to do. Anything else is for the whole command line, which goes on from there.
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
