import { lostLine } from "../standard-streams.ts"
import { mayRunNode } from "./may-run-node.ts"

/** Says that standard output is lost. For a command it is the result: it was not carried out as it should be. */
export const reportLostOutput = (args: ReadonlyArray<string>) => (why: string): void => {
  process.stderr.write(lostLine("node", why))
  if (mayRunNode(args)) return
  process.once("exit", (code) => {
    if (code === 0) process.exitCode = 1
  })
}
