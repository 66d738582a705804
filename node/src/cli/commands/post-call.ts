import type { Milliseconds } from "../../quantities.ts"
import type * as Http from "node:http"
import type { Duplex } from "node:stream"
import type { HostPort } from "../../config/config.ts"
import type { JsonValue } from "../../json/json-value.ts"
import { writeJson } from "../../json/write-json.ts"

/** Loaded this way because an `import` would also load a WebSocket client, which takes longer than a call. */
const { request } = process.getBuiltinModule("node:http") as typeof Http

/** Returns the address to call. A server that listens on all addresses is called on the loopback address. */
export const callable = ({ host, port }: HostPort): HostPort => {
  if (host === "0.0.0.0") return { host: "127.0.0.1", port }
  return host === "::" ? { host: "::1", port } : { host, port }
}

export const callBody = (method: string, params: JsonValue): string =>
  writeJson({ jsonrpc: "2.0", id: 1, method, params })

export interface PostedAnswer {
  readonly status: number
  readonly body: string
}

export interface Post {
  /** Address of the server. */
  readonly bind: HostPort
  /** Value of `Authorization`; `undefined` without credentials. */
  readonly header: string | undefined
  readonly body: string | Uint8Array
  readonly path?: string
  /** Time limit; 0 for none. */
  readonly timeoutMs: Milliseconds
  readonly signal?: AbortSignal
  /** An open connection to use. By default a TCP connection is made. */
  readonly socket?: Duplex | undefined
}

/** Error of a call without an answer, where the system has no code for it. */
export class CallUnanswered extends Error {
  readonly why: "broken off" | "too late"

  constructor(why: CallUnanswered["why"], message: string) {
    super(message)
    this.why = why
  }
}

/** Posts a call. Without Effect, because a command that only calls a method starts sooner without it. */
export const postCall = ({ bind, body, header, path = "/", signal, socket, timeoutMs }: Post): Promise<PostedAnswer> =>
  new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", ...(header === undefined ? {} : { authorization: header }) }
    const options = {
      ...callable(bind),
      method: "POST",
      path,
      headers,
      timeout: timeoutMs,
      // With an agent, even its own, the call would not use the socket.
      ...(socket === undefined ? { agent: false } : { createConnection: () => socket }),
      ...(signal && { signal })
    }
    const call = request(options, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("error", () => call.destroy(new CallUnanswered("broken off", "the connection broke off")))
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }))
    })
    call.on(
      "timeout",
      () => call.destroy(new CallUnanswered("too late", `no answer within ${timeoutMs / 1_000} seconds`))
    )
    call.on("error", reject)
    call.end(body)
  })
