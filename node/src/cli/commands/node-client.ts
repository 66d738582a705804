import type { Milliseconds } from "../../quantities.ts"
import * as Effect from "effect/Effect"
import type { Duplex } from "node:stream"
import type { HostPort, NodeConfig } from "../../config/config.ts"
import { printHostPort } from "../../config/host-port.ts"
import { JsonMembers, type JsonRead, type JsonValue } from "../../json/json-value.ts"
import { readJson } from "../../json/read-json.ts"
import { writeJson } from "../../json/write-json.ts"
import { type CommandFailure, commandFailed } from "../command-failure.ts"
import { type Credentials, credentialsFor, type ClientTarget } from "./client-credentials.ts"
import { type PostedAnswer, callable, callBody, postCall } from "./post-call.ts"
import { asTyped } from "../../typed-command.ts"

const TIMEOUT_MS = 10_000

const SEEMS_GONE = [
  `is it running? ${asTyped("start")} starts it`,
  "if it runs, give this command what it was started with: --network, --rpc-addr, --data-dir, --config"
]

const OTHER_PORT = `give this command the --network, --rpc-addr or --config of the node; ${
  asTyped("config explain")
} shows where it looks`

/** Explains why a call got no answer, and what may help. */
export const unanswered = ({ rpc }: ClientTarget, error: NodeJS.ErrnoException): CommandFailure => {
  const address = printHostPort(callable(rpc.bind))
  if (error.code?.startsWith("HPE_") === true) {
    return commandFailed(`what answers on ${address} is not a node: it does not speak HTTP`, OTHER_PORT)
  }
  const reason = error.code === "ECONNREFUSED" ? "nothing listens there" : error.message
  return commandFailed(`no node answers on ${address}: ${reason}`, ...SEEMS_GONE)
}

/** An error in the answer to a call. */
export interface AnsweredError {
  readonly code: string
  readonly message: string
}

/** The outcome of a call. Numbers keep their original digits. */
export interface CallOutcome {
  readonly result: JsonRead
  readonly error: AnsweredError | undefined
}

const textOf = (value: JsonRead | undefined): string =>
  value === undefined ? "" : typeof value === "string" ? value : writeJson(value)

const outcomeOf = (answer: JsonMembers): CallOutcome => {
  const error = answer.get("error")
  return {
    result: answer.get("result") ?? null,
    error: error instanceof JsonMembers
      ? { code: textOf(error.get("code")), message: textOf(error.get("message")) }
      : undefined
  }
}

const OTHER_CREDENTIALS = [
  "give this command the --config that the node was started with, or the --data-dir in which it keeps its cookie",
  "(a cookie holds until the node stops; on another machine, name credentials in [rpc_auth] of the file)"
]

const refusalOf = (
  { body, status }: PostedAnswer,
  address: string,
  { called }: Credentials
): CommandFailure | undefined => {
  const shown = `this command showed ${called}`
  if (status === 401) {
    return commandFailed(`the node on ${address} wants other credentials (HTTP 401)`, shown, ...OTHER_CREDENTIALS)
  }
  if (status === 403) {
    const own = /"message":"([^"]*)"/.exec(body)?.[1] ?? "this needs an administrator"
    return commandFailed(
      `the node on ${address} wants other credentials (HTTP 403): ${own}`,
      shown,
      ...OTHER_CREDENTIALS
    )
  }
  if (status === 429) {
    return commandFailed(
      `the node on ${address} refuses us for a while: too many requests, or wrong credentials; try again in a minute`
    )
  }
  return status === 503
    ? commandFailed(`the node on ${address} is too busy, or is stopping; try again in a moment`)
    : undefined
}

/** Judges an answer: returns the outcome of the call, or the reason why it has none. */
export const judgeAnswer = (
  { rpc }: ClientTarget,
  credentials: Credentials,
  answer: PostedAnswer
): CallOutcome | CommandFailure => {
  const address = printHostPort(rpc.bind)
  const refusal = refusalOf(answer, address, credentials)
  if (refusal !== undefined) return refusal
  const body = readJson(answer.body)
  return body instanceof JsonMembers
    ? outcomeOf(body)
    : commandFailed(`what answers on ${address} is not a node (HTTP ${answer.status})`, OTHER_PORT)
}

/** Another transport to a node than TCP. */
export interface Via {
  readonly bind: HostPort
  /** The identity that the caller shows besides credentials, for messages. */
  readonly called: string
  readonly open: () => Promise<{ readonly socket: Duplex; readonly end: () => void }>
}

/** Calls a method of the configured node. `timeoutMs` is 0 for no limit. */
export const callNode = Effect.fnUntraced(function*(
  config: NodeConfig,
  method: string,
  params: JsonValue = [],
  timeoutMs: Milliseconds = TIMEOUT_MS,
  via?: Via
): Effect.fn.Return<CallOutcome, CommandFailure> {
  const bind = via?.bind ?? config.rpc.bind
  const target = { ...config, rpc: { ...config.rpc, bind } }
  const shown = credentialsFor(config, callable(bind))
  const credentials = via === undefined ? shown : { ...shown, called: `${via.called} and ${shown.called}` }
  const answer = yield* Effect.tryPromise({
    try: async (signal) => {
      const way = await via?.open()
      return postCall({
        bind,
        header: credentials.header,
        body: callBody(method, params),
        timeoutMs,
        signal,
        socket: way?.socket
      }).finally(() => way?.end())
    },
    catch: (error) => unanswered(target, error as NodeJS.ErrnoException)
  })
  const outcome = judgeAnswer(target, credentials, answer)
  return "_tag" in outcome ? yield* outcome : outcome
})

/** Returns the members of a result. Fails if the node returns no object, or is not ready. */
export const askNode = Effect.fnUntraced(
  function*(config: NodeConfig, method: string): Effect.fn.Return<JsonMembers, CommandFailure> {
    const { error, result } = yield* callNode(config, method)
    if (error !== undefined) {
      return yield* commandFailed(`the node answers, but is not ready: ${error.message}`, "ask again in a moment")
    }
    if (result instanceof JsonMembers) return result
    return yield* commandFailed(`what answers on ${printHostPort(config.rpc.bind)} is not a node`, OTHER_PORT)
  }
)
