import { nearest } from "@lockstep/protocol/nearest-name.ts"
import type { JsonRead } from "../../json/json-value.ts"
import type { MethodFacts } from "../../methods/definition/method-facts.ts"
import { METHODS } from "../../methods/table.ts"
import { asTyped } from "../../typed-command.ts"
import { type CommandFailure, commandFailed, misused } from "../command-failure.ts"
import type { AnsweredError } from "./node-client.ts"
import { isRightCount, unknownParameter } from "./parameter-faults.ts"
import { walletHint } from "../../rpc/dispatch/wallet-methods.ts"

// Loaded only for a faulty call, because it loads all methods.

const helpHint = (name: string): string => `${asTyped(`rpc help ${name}`)} says what it takes`

const hintFor = (name: string, methods: ReadonlyMap<string, MethodFacts>): string => {
  const hint = walletHint(name)
  if (hint !== undefined) return hint
  const close = nearest(name, [...methods.keys()])
  return close === undefined
    ? `${asTyped("rpc help")} lists all methods`
    : `did you mean ${close}? ${asTyped("rpc help")} lists all methods`
}

/** Returns the failure for misspelled names, or `undefined`. */
export const faultOfNames = (name: string, given: ReadonlyArray<string>): CommandFailure | undefined => {
  const method = METHODS.get(name)
  const fault = method === undefined ? undefined : unknownParameter(given, method)
  return fault === undefined ? undefined : misused(fault, helpHint(name))
}

/** Explains an error of a call to the user of a terminal, with the node's own message. */
export const failureOf = (name: string, params: JsonRead, { code, message }: AnsweredError): CommandFailure => {
  const own = `error ${code}: ${message}`.trimEnd().split("\n")
  if (code === "-32601") return commandFailed(...own, hintFor(name, METHODS))
  if (code === "-1" && message.startsWith(name) && message.includes("\n")) {
    const method = METHODS.get(name)
    const fault = method !== undefined && isRightCount(params, method)
      ? `${name} does not take one of these values`
      : `these parameters do not fit ${name}: they are too many, or too few`
    return commandFailed(fault, ...message.trimEnd().split("\n"))
  }
  return code === "-3" ? commandFailed(...own, helpHint(name)) : commandFailed(...own)
}
