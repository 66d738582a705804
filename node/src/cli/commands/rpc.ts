import * as Effect from "effect/Effect"
import { nearest } from "../../config/nearest.ts"
import { JsonMembers, type JsonRead } from "../../rpc/json/json-value.ts"
import { readJson } from "../../rpc/json/read-json.ts"
import type { MethodFacts } from "../../rpc/method/method-facts.ts"
import type { Parameter } from "../../rpc/method/parameter.ts"
import { type CommandFailure, failed, misused } from "../command-failure.ts"
import type { GlobalInput } from "../global-options.ts"
import { callersConfig } from "../loaded-config.ts"
import { prettyJson } from "../pretty-json.ts"
import { say } from "../terminal.ts"
import { rememberTarget } from "../quick/remember-target.ts"
import { isRightCount, namedValue, unknownParameter } from "./parameter-faults.ts"
import type { Credentials, Target } from "./client-credentials.ts"
import { type CallError, callNode, type CallOutcome, judgeAnswer } from "./node-client.ts"
import type { Answer } from "./post-call.ts"
import { asTyped } from "../../typed-command.ts"

/** A hash may have nothing but digits: what is to be a text is not read as anything else. */
const valueOf = (given: string, parameter: Parameter<unknown> | undefined): JsonRead => {
  if (parameter?.kind === "string") return given
  const read = readJson(given)
  return read === undefined ? given : read
}

interface Named {
  readonly name: string
  readonly text: string
  readonly parameter: Parameter<unknown>
}

/** `name=value`, where the method has a parameter of that name. */
const namedIn = (given: string, method: MethodFacts | undefined): Named | undefined => {
  const { name, text } = namedValue(given) ?? { name: "", text: "" }
  const found = Object.entries(method?.parameters ?? {}).find(([own, { aliases }]) =>
    own === name || aliases.includes(name)
  )
  return found && { name, text, parameter: found[1] }
}

/** Parameters as the node takes them: a list; or members, with what has no name in `args`. */
export const paramsOf = (given: ReadonlyArray<string>, method: MethodFacts | undefined): JsonRead => {
  const inOrder = Object.values(method?.parameters ?? {})
  const named: Array<Named> = []
  const positional: Array<JsonRead> = []
  for (const each of given) {
    const found = namedIn(each, method)
    if (found === undefined) positional.push(valueOf(each, inOrder[positional.length]))
    else named.push(found)
  }
  if (named.length === 0) return positional
  const names = named.map(({ name }) => name)
  const values = named.map(({ parameter, text }) => valueOf(text, parameter))
  return positional.length === 0
    ? new JsonMembers(names, values)
    : new JsonMembers(["args", ...names], [positional, ...values])
}

const helpHint = (name: string): string => `${asTyped(`rpc help ${name}`)} says what it takes`

const hintFor = (name: string, methods: ReadonlyMap<string, MethodFacts>): string => {
  const close = nearest(name, [...methods.keys()])
  return close === undefined
    ? `${asTyped("rpc help")} lists all methods`
    : `did you mean ${close}? ${asTyped("rpc help")} lists all methods`
}

/** What an error of a call means for a user at a terminal, around the node's own words. */
const failureOf = (
  name: string,
  params: JsonRead,
  { code, message }: CallError,
  methods: ReadonlyMap<string, MethodFacts>
) => {
  const own = `error ${code}: ${message}`.trimEnd().split("\n")
  if (code === "-32601") return failed(...own, hintFor(name, methods))
  if (code === "-1" && message.startsWith(name) && message.includes("\n")) {
    const method = methods.get(name)
    const fault = method !== undefined && isRightCount(params, method)
      ? `${name} does not take one of these values`
      : `these parameters do not fit ${name}: they are too many, or too few`
    return failed(fault, ...message.trimEnd().split("\n"))
  }
  return code === "-3" ? failed(...own, helpHint(name)) : failed(...own)
}

/** Why there is no result in an answer; or the result, where the answer has one after all. */
export const judgedCall = async (
  target: Target,
  credentials: Credentials,
  call: { readonly method: string; readonly params: ReadonlyArray<string> },
  answer: Answer
): Promise<CallOutcome | CommandFailure> => {
  const outcome = judgeAnswer(target, credentials, answer)
  if ("_tag" in outcome || outcome.error === undefined) return outcome
  const { METHODS } = await import("../../rpc/methods/table.ts")
  return failureOf(call.method, call.params, outcome.error, METHODS)
}

/** Calls any method of the running node, and prints its result: a text as it is, anything else as JSON. */
export const rpc = Effect.fn("rpc")(function*(input: GlobalInput, name: string, given: ReadonlyArray<string>) {
  const { METHODS } = yield* Effect.promise(() => import("../../rpc/methods/table.ts"))
  const method = METHODS.get(name)
  const fault = method === undefined ? undefined : unknownParameter(given, method)
  if (fault !== undefined) return yield* misused(fault, helpHint(name))
  const { config, effective } = yield* callersConfig(input)
  rememberTarget(process.argv.slice(2), input, config, effective)
  const params = paramsOf(given, method)
  const { error, result } = yield* callNode(config, name, params, 0)
  if (error !== undefined) return yield* failureOf(name, params, error, METHODS)
  if (result !== null) yield* say(typeof result === "string" ? result : prettyJson(result))
})
