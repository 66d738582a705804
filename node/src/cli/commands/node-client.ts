import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import type { HostPort, NodeConfig } from "../../config/config.ts"
import { isLoopback, printHostPort } from "../../config/host-port.ts"
import { JsonMembers, type JsonRead, type JsonValue } from "../../rpc/json/json-value.ts"
import { readJson } from "../../rpc/json/read-json.ts"
import { writeJson } from "../../rpc/json/write-json.ts"
import { type CommandFailure, failed } from "../command-failure.ts"

const TIMEOUT_MS = 10_000

/** A server that listens everywhere is called at home. */
const callable = ({ host, port }: HostPort): HostPort => {
  if (host === "0.0.0.0") return { host: "127.0.0.1", port }
  return host === "::" ? { host: "::1", port } : { host, port }
}

/** What a running node on this machine leaves for its own user; none: there is none, or it is somebody else's. */
const cookieOf = ({ dataDirectory, rpc }: NodeConfig): string | undefined => {
  if (!isLoopback(callable(rpc.bind))) return undefined
  try {
    return readFileSync(join(dataDirectory, ".cookie"), "utf8").trim()
  } catch {
    return undefined
  }
}

const asBasic = (credentials: string): string => `Basic ${Buffer.from(credentials).toString("base64")}`

/** The strongest credentials there are: a command may need an administrator. */
const authorization = (config: NodeConfig): string | undefined => {
  const { adminTokens, basic, tokens } = config.rpc.credentials
  if (adminTokens[0] !== undefined) return `Bearer ${adminTokens[0]}`
  if (basic !== undefined) return asBasic(`${basic.username}:${basic.password}`)
  const cookie = cookieOf(config)
  if (cookie !== undefined) return asBasic(cookie)
  return tokens[0] === undefined ? undefined : `Bearer ${tokens[0]}`
}

interface Answer {
  readonly status: number
  readonly body: string
}

const SEEMS_GONE = "is it running, and does this command have its network, --rpc-addr and --config?"

const post = (config: NodeConfig, body: string, timeoutMs: number): Effect.Effect<Answer, CommandFailure> =>
  Effect.callback((resume) => {
    const { host, port } = callable(config.rpc.bind)
    const credentials = authorization(config)
    const headers = { "content-type": "application/json", ...(credentials === undefined ? {} : { authorization: credentials }) }
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
    call.on("error", (error: NodeJS.ErrnoException) => {
      const reason = error.code === "ECONNREFUSED" ? "nothing listens there" : error.message
      resume(Effect.fail(failed(`no node answers on ${address}: ${reason}`, SEEMS_GONE)))
    })
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

const refusalOf = ({ body, status }: Answer, address: string): CommandFailure | undefined => {
  if (status === 401) {
    return failed(`the node on ${address} wants other credentials (HTTP 401); give its --config or --data-dir`)
  }
  if (status === 403) {
    const own = /"message":"([^"]*)"/.exec(body)?.[1] ?? "this needs an administrator"
    return failed(`the node on ${address} wants other credentials (HTTP 403): ${own}; give its --config or --data-dir`)
  }
  if (status === 429) return failed(`the node on ${address} refuses us for a while: too many requests, or wrong credentials`)
  return status === 503 ? failed(`the node on ${address} is too busy, or is stopping; try again in a moment`) : undefined
}

/** Calls a method of the node that the configuration describes. `timeoutMs` 0: as long as it takes. */
export const callNode = Effect.fnUntraced(function*(
  config: NodeConfig,
  method: string,
  params: JsonValue = [],
  timeoutMs: number = TIMEOUT_MS
): Effect.fn.Return<CallOutcome, CommandFailure> {
  const answer = yield* post(config, writeJson({ jsonrpc: "2.0", id: 1, method, params }), timeoutMs)
  const address = printHostPort(config.rpc.bind)
  const refusal = refusalOf(answer, address)
  if (refusal !== undefined) return yield* refusal
  const body = readJson(answer.body)
  if (!(body instanceof JsonMembers)) return yield* failed(`what answers on ${address} is not a node (HTTP ${answer.status})`)
  return outcomeOf(body)
})

/** The members of a result; fails when the node answers something else, or is not ready. */
export const askNode = Effect.fnUntraced(function*(config: NodeConfig, method: string): Effect.fn.Return<JsonMembers, CommandFailure> {
  const { error, result } = yield* callNode(config, method)
  if (error !== undefined) return yield* failed(`the node answers, but is not ready: ${error.message}`)
  if (result instanceof JsonMembers) return result
  return yield* failed(`what answers on ${printHostPort(config.rpc.bind)} is not a node`)
})
