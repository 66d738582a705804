import * as Effect from "effect/Effect"
import { request } from "node:http"
import type { HostPort, NodeConfig } from "../../config/config.ts"
import { printHostPort } from "../../config/host-port.ts"
import { JsonMembers, type JsonRead, type JsonValue } from "../../rpc/json/json-value.ts"
import { readJson } from "../../rpc/json/read-json.ts"
import { writeJson } from "../../rpc/json/write-json.ts"
import { type CommandFailure, failed } from "../command-failure.ts"
import { type Credentials, credentialsFor } from "./client-credentials.ts"

const TIMEOUT_MS = 10_000

/** A server that listens everywhere is called at home. */
const callable = ({ host, port }: HostPort): HostPort => {
  if (host === "0.0.0.0") return { host: "127.0.0.1", port }
  return host === "::" ? { host: "::1", port } : { host, port }
}

interface Answer {
  readonly status: number
  readonly body: string
}

const SEEMS_GONE = [
  "is it running? `node start` starts it",
  "if it runs, give this command what it was started with: --network, --rpc-addr, --data-dir, --config"
]

const OTHER_PORT = "give this command the --network, --rpc-addr or --config of the node; `node config explain` shows where it looks"

/** Why nobody answered, and what may help. */
const unanswered = (address: string, error: NodeJS.ErrnoException): CommandFailure => {
  if (error.code?.startsWith("HPE_") === true) return failed(`what answers on ${address} is not a node: it does not speak HTTP`, OTHER_PORT)
  const reason = error.code === "ECONNREFUSED" ? "nothing listens there" : error.message
  return failed(`no node answers on ${address}: ${reason}`, ...SEEMS_GONE)
}

const post = (config: NodeConfig, { header }: Credentials, body: string, timeoutMs: number): Effect.Effect<Answer, CommandFailure> =>
  Effect.callback((resume) => {
    const { host, port } = callable(config.rpc.bind)
    const headers = { "content-type": "application/json", ...(header === undefined ? {} : { authorization: header }) }
    const call = request({ host, port, method: "POST", path: "/", headers, agent: false, timeout: timeoutMs }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("error", () => call.destroy(new Error("the connection broke off")))
      response.on("end", () => {
        resume(Effect.succeed({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }))
      })
    })
    const address = printHostPort({ host, port })
    call.on("timeout", () => call.destroy(new Error(`no answer within ${timeoutMs / 1_000} seconds`)))
    call.on("error", (error: NodeJS.ErrnoException) => resume(Effect.fail(unanswered(address, error))))
    call.end(body)
    return Effect.sync(() => call.destroy())
  })

/** An error that the node answered a call with. */
export interface CallError {
  readonly code: string
  readonly message: string
}

/** What became of a call. Numbers keep the digits they came with. */
export interface CallOutcome {
  readonly result: JsonRead
  readonly error: CallError | undefined
}

const textOf = (value: JsonRead | undefined): string => value === undefined ? "" : typeof value === "string" ? value : writeJson(value)

const outcomeOf = (answer: JsonMembers): CallOutcome => {
  const error = answer.get("error")
  return {
    result: answer.get("result") ?? null,
    error: error instanceof JsonMembers ? { code: textOf(error.get("code")), message: textOf(error.get("message")) } : undefined
  }
}

const OTHER_CREDENTIALS = [
  "give this command the --config that the node was started with, or the --data-dir in which it keeps its cookie",
  "(a cookie holds until the node stops; on another machine, name credentials in [rpc_auth] of the file)"
]

const refusalOf = ({ body, status }: Answer, address: string, { called }: Credentials): CommandFailure | undefined => {
  const shown = `this command showed ${called}`
  if (status === 401) return failed(`the node on ${address} wants other credentials (HTTP 401)`, shown, ...OTHER_CREDENTIALS)
  if (status === 403) {
    const own = /"message":"([^"]*)"/.exec(body)?.[1] ?? "this needs an administrator"
    return failed(`the node on ${address} wants other credentials (HTTP 403): ${own}`, shown, ...OTHER_CREDENTIALS)
  }
  if (status === 429) return failed(`the node on ${address} refuses us for a while: too many requests, or wrong credentials; try again in a minute`)
  return status === 503 ? failed(`the node on ${address} is too busy, or is stopping; try again in a moment`) : undefined
}

/** Calls a method of the node that the configuration describes. `timeoutMs` 0: as long as it takes. */
export const callNode = Effect.fnUntraced(function*(
  config: NodeConfig,
  method: string,
  params: JsonValue = [],
  timeoutMs: number = TIMEOUT_MS
): Effect.fn.Return<CallOutcome, CommandFailure> {
  const credentials = credentialsFor(config, callable(config.rpc.bind))
  const answer = yield* post(config, credentials, writeJson({ jsonrpc: "2.0", id: 1, method, params }), timeoutMs)
  const address = printHostPort(config.rpc.bind)
  const refusal = refusalOf(answer, address, credentials)
  if (refusal !== undefined) return yield* refusal
  const body = readJson(answer.body)
  if (!(body instanceof JsonMembers)) return yield* failed(`what answers on ${address} is not a node (HTTP ${answer.status})`, OTHER_PORT)
  return outcomeOf(body)
})

/** The members of a result; fails when the node answers something else, or is not ready. */
export const askNode = Effect.fnUntraced(function*(config: NodeConfig, method: string): Effect.fn.Return<JsonMembers, CommandFailure> {
  const { error, result } = yield* callNode(config, method)
  if (error !== undefined) return yield* failed(`the node answers, but is not ready: ${error.message}`, "ask again in a moment")
  if (result instanceof JsonMembers) return result
  return yield* failed(`what answers on ${printHostPort(config.rpc.bind)} is not a node`, OTHER_PORT)
})
