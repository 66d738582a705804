import { JsonMembers, type JsonRead } from "../../json/json-value.ts"
import { readJson } from "../../json/read-json.ts"
import { typedParameters } from "../../methods/definition/typed-parameters.ts"
import { type ClientTarget, type Credentials, credentialsFor } from "../commands/client-credentials.ts"
import { type PostedAnswer, callable, callBody, postCall } from "../commands/post-call.ts"
import { prettyJson } from "../pretty-json.ts"
import { type QuickLine, quickLine } from "./quick-line.ts"
import { recallTarget } from "./remembered-target.ts"
import { allNamesAreKnown, paramsOf } from "./typed-params.ts"

/** A call that was sent but has no result that can be printed as it is. */
export interface SentCall {
  readonly line: QuickLine
  readonly target: ClientTarget
  readonly credentials: Credentials
  /** The answer, or the error if none came. */
  readonly answer: PostedAnswer | Error
}

/** Returns the result of a successful call. Returns `undefined` if the whole command line has to read the answer. */
const resultIn = ({ body, status }: PostedAnswer): JsonRead | undefined => {
  const read = status === 200 ? readJson(body) : undefined
  return read instanceof JsonMembers && (read.get("error") ?? null) === null ? read.get("result") ?? null : undefined
}

/** Prints the result of a call. */
export const printResult = (result: JsonRead): void => {
  if (result !== null) process.stdout.write(`${typeof result === "string" ? result : prettyJson(result)}\n`)
}

/**
 * Calls a method without reading the configuration again, with only the code that a call needs. Returns "done" if the
 * result is printed. Returns `undefined` if nothing was sent, so that the command is executed in full.
 */
export const quickRpc = async (args: ReadonlyArray<string>): Promise<"done" | SentCall | undefined> => {
  const line = quickLine(args)
  const target = line && recallTarget(line.options)
  if (line === undefined || target === undefined) return undefined
  const parameters = typedParameters(line.method)
  if (parameters !== undefined && !allNamesAreKnown(line.params, parameters)) return undefined
  const credentials = credentialsFor(target, callable(target.rpc.bind))
  const post = {
    bind: target.rpc.bind,
    header: credentials.header,
    body: callBody(line.method, paramsOf(line.params, parameters)),
    timeoutMs: 0
  }
  let answer: PostedAnswer
  try {
    answer = await postCall(post)
  } catch (error) {
    return { line, target, credentials, answer: error as Error }
  }
  const result = resultIn(answer)
  if (result === undefined) return { line, target, credentials, answer }
  printResult(result)
  return "done"
}
