import { lostLine } from "../standard-streams.ts"
import { mayRunNode } from "./may-run-node.ts"

/** Reports that standard output is lost. For most commands the output is the result, so they have failed. */
export const reportLostOutput = (args: ReadonlyArray<string>) => (why: string): void => {
  process.stderr.write(lostLine("node", why))
  if (mayRunNode(args)) return
  process.once("exit", (code) => {
    if (code === 0) process.exitCode = 1
  })
}
