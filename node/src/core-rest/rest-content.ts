import * as Effect from "effect/Effect"
import { hashOfText, hexOf } from "../hex.ts"
import type { HttpAnswer } from "../http/http-answer.ts"
import type { JsonValue } from "../json/json-value.ts"
import { LongText } from "../json/long-text.ts"
import { writeJson } from "../json/write-json.ts"
import type { CallError } from "../queries/call-error.ts"
import type { QueryNode } from "../queries/query-node.ts"
import type { Format } from "./rest-path.ts"

/** The reason why a path has no content: the HTTP status and the message for the client. */
export interface RestFault {
  readonly _tag: "RestFault"
  readonly status: number
  readonly message: string
}

export const restFault = (status: number, message: string): RestFault => ({ _tag: "RestFault", status, message })

export const refuseResource = (status: number, message: string): Effect.Effect<never, RestFault> =>
  Effect.fail(restFault(status, message))

export type Answering = Effect.Effect<HttpAnswer, RestFault | CallError>

const answer = (type: string, body: string | Uint8Array): HttpAnswer => ({
  status: 200,
  body,
  headers: { "Content-Type": type }
})

/** Size in bytes from which digits are written without becoming a string. */
const LONG_BYTES = 16_384

const digits = (bytes: Uint8Array): string | Uint8Array =>
  bytes.length < LONG_BYTES
    ? `${hexOf(bytes)}\n`
    : new LongText("", Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), "\n").bytes("")

/** Content by its formats. */
interface Content {
  readonly bytes: Effect.Effect<Uint8Array, RestFault | CallError>
  /** Digits, if they differ from those of the bytes. */
  readonly hex?: string
  readonly json: Effect.Effect<JsonValue, RestFault | CallError>
}

const jsonAnswer = (value: JsonValue): HttpAnswer => answer("application/json", `${writeJson(value)}\n`)

export const inFormat = (format: Format | undefined, { bytes, hex, json }: Content): Answering => {
  if (format === "json") return Effect.map(json, jsonAnswer)
  if (format === "bin") return Effect.map(bytes, (found) => answer("application/octet-stream", found))
  if (format === undefined) return refuseResource(404, "output format not found (available: .bin, .hex, .json)")
  return hex === undefined
    ? Effect.map(bytes, (found) => answer("text/plain", digits(found)))
    : Effect.succeed(answer("text/plain", `${hex}\n`))
}

/** Returns content that exists only as JSON. */
export const onlyJson = (
  format: Format | undefined,
  json: Effect.Effect<JsonValue, RestFault | CallError>
): Answering =>
  format === "json" ? Effect.map(json, jsonAnswer) : refuseResource(404, "output format not found (available: json)")

/** Returns the hash in a path. Fails if it is invalid. */
export const hashIn = (text: string): Effect.Effect<Uint8Array, RestFault> => {
  const hash = hashOfText(text)
  return hash === undefined ? refuseResource(400, `Invalid hash: ${text}`) : Effect.succeed(hash)
}

/** Returns the facts of the block that a path names. */
export const namedBlock = Effect.fnUntraced(function*(param: string, { chain }: QueryNode) {
  const facts = yield* chain.call("blockFacts", { hash: yield* hashIn(param) })
  return facts ?? (yield* refuseResource(404, `${param} not found`))
})
