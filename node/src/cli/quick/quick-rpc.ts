import { JsonMembers, type JsonRead } from "../../rpc/json/json-value.ts"
import { readJson } from "../../rpc/json/read-json.ts"
import { typedParameters } from "../../rpc/method/typed-parameters.ts"
import { credentialsFor } from "../commands/client-credentials.ts"
import { type PostedAnswer, callable, callBody, postCall } from "../commands/post-call.ts"
import type { CommandFailure } from "../command-failure.ts"
import { prettyJson } from "../pretty-json.ts"
import { quickLine } from "./quick-line.ts"
import { recallTarget } from "./remembered-target.ts"
import { allNamesAreKnown, paramsOf } from "./typed-params.ts"

const complain = ({ exitCode, lines }: CommandFailure): number => {
  for (const line of lines) process.stderr.write(`node: ${line}\n`)
  return exitCode
}

/** The result of a call that succeeded; none: the whole command line reads the answer. */
const resultIn = ({ body, status }: PostedAnswer): JsonRead | undefined => {
  const read = status === 200 ? readJson(body) : undefined
  return read instanceof JsonMembers && (read.get("error") ?? null) === null ? read.get("result") ?? null : undefined
}

const print = (result: JsonRead): number => {
  if (result !== null) process.stdout.write(`${typeof result === "string" ? result : prettyJson(result)}\n`)
  return 0
}

/**
 * Calls a method without reading the configuration anew, and with nothing loaded that a call does not need; answers the
 * exit code. None: nothing was sent, and the command is to be carried out in full.
 */
export const quickRpc = async (args: ReadonlyArray<string>): Promise<number | undefined> => {
  const line = quickLine(args)
  const target = line && recallTarget(line.options)
  if (line === undefined || target === undefined) return undefined
  const parameters = typedParameters(line.method)
  if (parameters !== undefined && !allNamesAreKnown(line.params, parameters)) return undefined
  const params = paramsOf(line.params, parameters)
  const credentials = credentialsFor(target, callable(target.rpc.bind))
  const post = {
    bind: target.rpc.bind,
    header: credentials.header,
    body: callBody(line.method, params),
    timeoutMs: 0
  }
  let answer: PostedAnswer
  try {
    answer = await postCall(post)
  } catch (error) {
    const { unanswered } = await import("../commands/node-client.ts")
    return complain(unanswered(target, error as NodeJS.ErrnoException))
  }
  const found = resultIn(answer)
  if (found !== undefined) return print(found)
  const { judgedCall } = await import("../commands/rpc.ts")
  const judged = await judgedCall(target, credentials, { method: line.method, params }, answer)
  return "_tag" in judged ? complain(judged) : print(judged.result)
}
