import * as Effect from "effect/Effect"
import { request } from "node:http"
import type { HostPort, NodeConfig, RpcCredentials } from "../../config/config.ts"
import { printHostPort } from "../../config/host-port.ts"
import { type CommandFailure, failed } from "../command-failure.ts"
import type { GlobalInput } from "../global-options.ts"
import { loadedConfig } from "../loaded-config.ts"
import { say } from "../terminal.ts"

const TIMEOUT_MS = 10_000

/** A server that listens everywhere is called at home. */
const callable = ({ host, port }: HostPort): HostPort => {
  if (host === "0.0.0.0") return { host: "127.0.0.1", port }
  return host === "::" ? { host: "::1", port } : { host, port }
}

const authorization = ({ adminTokens, basic, tokens }: RpcCredentials): string | undefined => {
  const token = tokens[0] ?? adminTokens[0]
  if (token !== undefined) return `Bearer ${token}`
  return basic && `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString("base64")}`
}

interface Answer {
  readonly status: number
  readonly body: string
}

const post = (config: NodeConfig, body: string): Effect.Effect<Answer, CommandFailure> =>
  Effect.callback((resume) => {
    const { host, port } = callable(config.rpc.bind)
    const credentials = authorization(config.rpc.credentials)
    const headers = { "content-type": "application/json", ...(credentials === undefined ? {} : { authorization: credentials }) }
    const call = request({ host, port, method: "POST", path: "/", headers, agent: false, timeout: TIMEOUT_MS }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () => {
        resume(Effect.succeed({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }))
      })
    })
    const address = printHostPort({ host, port })
    call.on("timeout", () => call.destroy(new Error(`no answer within ${TIMEOUT_MS / 1_000} seconds`)))
    call.on("error", (error: NodeJS.ErrnoException) => {
      const reason = error.code === "ECONNREFUSED" ? "nothing listens there" : error.message
      resume(Effect.fail(failed(
        `no node answers on ${address}: ${reason}`,
        "is it running, and does this command have its network, --rpc-addr and --config?"
      )))
    })
    call.end(body)
    return Effect.sync(() => call.destroy())
  })

const parsed = (body: string): { readonly result?: unknown; readonly error?: { readonly message?: unknown } } => {
  try {
    return (JSON.parse(body) ?? {}) as { readonly result?: unknown }
  } catch {
    return {}
  }
}

/** Asks the node that this configuration describes how its chain is; succeeds when it answers. */
export const health = Effect.fn("health")(function*(input: GlobalInput) {
  const { config } = yield* loadedConfig(input)
  const { body, status } = yield* post(config, JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getblockchaininfo", params: [] }))
  const address = printHostPort(config.rpc.bind)
  if (status === 401 || status === 403) {
    return yield* failed(`the node on ${address} wants other credentials (HTTP ${status}); give its --config`)
  }
  const { error, result } = parsed(body)
  if (error !== undefined && error !== null) return yield* failed(`the node answers, but is not ready: ${String(error.message)}`)
  if (typeof result !== "object" || result === null) {
    return yield* failed(`what answers on ${address} is not a node (HTTP ${status})`)
  }
  yield* say(JSON.stringify(result, undefined, 2))
})
