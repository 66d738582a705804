import type { Seconds } from "../quantities.ts"
import type { ServerResponse } from "node:http"
import { settingName } from "../front/setting-name.ts"

/** A complete HTTP answer. */
export interface HttpAnswer {
  readonly status: number
  readonly body: string | Uint8Array | undefined
  readonly headers: Readonly<Record<string, string>>
}

const JSON_TYPE = "application/json"
const TEXT_TYPE = "text/html; charset=ISO-8859-1"

export const jsonAnswer = (status: number, body: HttpAnswer["body"]): HttpAnswer => ({
  status,
  body,
  headers: body === undefined ? {} : { "Content-Type": JSON_TYPE }
})

export const textAnswer = (status: number, body: string): HttpAnswer => ({
  status,
  body,
  headers: { "Content-Type": TEXT_TYPE }
})

/** Returns an answer about HTTP rather than about a call. */
const refusal = (status: number, message: string, headers: Readonly<Record<string, string>> = {}): HttpAnswer => {
  const body = `${JSON.stringify({ error: { code: status, message } })}\n`
  return { status, body, headers: { "Content-Type": JSON_TYPE, ...headers } }
}

export const UNAUTHORIZED: HttpAnswer = {
  status: 401,
  body: "",
  headers: { "WWW-Authenticate": "Basic realm=\"jsonrpc\"", "Content-Type": TEXT_TYPE }
}

export const BAD_REQUEST: HttpAnswer = textAnswer(400, "")

export const NOT_FOUND: HttpAnswer = textAnswer(404, "")

const KNOWN_METHODS: ReadonlyArray<string | undefined> = ["GET", "HEAD", "PUT"]

export const onlyPost = (method: string | undefined): HttpAnswer =>
  textAnswer(405, KNOWN_METHODS.includes(method) ? "JSONRPC server handles only POST requests" : "")

export const OVERLOADED: HttpAnswer = refusal(503, "Work queue depth exceeded", { "Retry-After": "1" })

export const STOPPING: HttpAnswer = refusal(503, "The node is stopping")

/** Refuses a caller that exceeds its rate limit. `seconds` is the time to wait. */
export const tooMany = (seconds: Seconds): HttpAnswer =>
  refusal(429, "Too many requests", { "Retry-After": String(Math.max(1, Math.ceil(seconds))) })

export const tooLarge = (limit: number): HttpAnswer => refusal(413, `A request has at most ${limit} bytes`)

export const needsAdmin = (method: string): HttpAnswer => refusal(403, `Method '${method}' requires admin privileges`)

/** Length from which a text is encoded once instead of being measured and then encoded. */
const LONG_TEXT = 16_384

/** Refuses a method that is not on the whitelist of this user. */
export const notWhitelisted = (method: string, user: string): HttpAnswer =>
  refusal(403, `Method '${method}' is not on the whitelist of ${user}`)

/** Refusal of an address that may not call at all. */
export const NOT_ALLOWED: HttpAnswer = refusal(
  403,
  `This address is not allowed to call: see ${settingName("[rpc].allow_ip")}`
)

/** Sends an answer. `close` ends the connection after it. */
export const sendAnswer = (response: ServerResponse, { body, headers, status }: HttpAnswer, close = false): void => {
  if (response.destroyed || response.headersSent) return
  const head: Array<string> = []
  for (const name in headers) head.push(name, headers[name]!)
  const sent = typeof body === "string" && body.length >= LONG_TEXT ? Buffer.from(body) : body
  if (sent !== undefined) {
    head.push("Content-Length", String(typeof sent === "string" ? Buffer.byteLength(sent) : sent.length))
  }
  if (close) head.push("Connection", "close")
  response.writeHead(status, head)
  response.end(sent)
}
