import * as Effect from "effect/Effect"
import { nearest } from "../../config/nearest.ts"
import { JsonMembers, type JsonRead } from "../../rpc/json/json-value.ts"
import { readJson } from "../../rpc/json/read-json.ts"
import type { MethodFacts } from "../../rpc/method/method.ts"
import type { Parameter } from "../../rpc/method/parameter.ts"
import { failed } from "../command-failure.ts"
import type { GlobalInput } from "../global-options.ts"
import { callersConfig } from "../loaded-config.ts"
import { prettyJson } from "../pretty-json.ts"
import { say } from "../terminal.ts"
import { type CallError, callNode } from "./node-client.ts"

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

const NAMED = /^([a-z_]\w*)=([\s\S]*)$/i

/** `name=value`, where the method has a parameter of that name. */
const namedIn = (given: string, method: MethodFacts | undefined): Named | undefined => {
  const [, name = "", text = ""] = NAMED.exec(given) ?? []
  const found = Object.entries(method?.parameters ?? {}).find(([own, { aliases }]) => own === name || aliases.includes(name))
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
  return positional.length === 0 ? new JsonMembers(names, values) : new JsonMembers(["args", ...names], [positional, ...values])
}

const hintFor = (name: string, methods: ReadonlyMap<string, MethodFacts>): string => {
  const close = nearest(name, [...methods.keys()])
  return close === undefined ? "`node rpc help` lists all methods" : `did you mean ${close}? \`node rpc help\` lists all methods`
}

/** What an error of a call means for somebody at a terminal, around the node's own words. */
const failureOf = (name: string, { code, message }: CallError, methods: ReadonlyMap<string, MethodFacts>) => {
  const own = `error ${code}: ${message}`.trimEnd().split("\n")
  if (code === "-32601") return failed(...own, hintFor(name, methods))
  if (code === "-1" && message.startsWith(name) && message.includes("\n")) {
    return failed(`these parameters do not fit ${name}: they are too many, or too few`, ...message.trimEnd().split("\n"))
  }
  const isMisused = code === "-3" || message.startsWith("Unknown named parameter")
  return isMisused ? failed(...own, `\`node rpc help ${name}\` says what it takes`) : failed(...own)
}

/** Calls any method of the running node, and prints its result: a text as it is, anything else as JSON. */
export const rpc = Effect.fn("rpc")(function*(input: GlobalInput, name: string, given: ReadonlyArray<string>) {
  const { config } = yield* callersConfig(input)
  const { METHODS } = yield* Effect.promise(() => import("../../rpc/methods/table.ts"))
  const { error, result } = yield* callNode(config, name, paramsOf(given, METHODS.get(name)), 0)
  if (error !== undefined) return yield* failureOf(name, error, METHODS)
  if (result !== null) yield* say(typeof result === "string" ? result : prettyJson(result))
})
