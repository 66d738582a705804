import { typedParameters } from "../../methods/definition/typed-parameters.ts"
import type { CommandFailure } from "../command-failure.ts"
import { unanswered } from "../commands/node-client.ts"
import { judgedCall } from "../commands/rpc.ts"
import { printResult, type SentCall } from "./quick-rpc.ts"
import { paramsOf } from "./typed-params.ts"

const complain = ({ exitCode, lines }: CommandFailure): number => {
  for (const line of lines) process.stderr.write(`node: ${line}\n`)
  return exitCode
}

/** Reports the outcome of a quickly sent call that has no plain result. Returns the exit code. */
export const concludeCall = async ({ answer, credentials, line, target }: SentCall): Promise<number> => {
  if (answer instanceof Error) return complain(unanswered(target, answer))
  const call = { method: line.method, params: paramsOf(line.params, typedParameters(line.method)) }
  const judged = await judgedCall(target, credentials, call, answer)
  if ("_tag" in judged) return complain(judged)
  printResult(judged.result)
  return 0
}
