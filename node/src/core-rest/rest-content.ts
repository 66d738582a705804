import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { hexOf } from "../hex.ts"
import type { HttpAnswer } from "../http/http-answer.ts"
import type { JsonRead, JsonValue } from "../json/json-value.ts"
import { LongText } from "../json/long-text.ts"
import { writeJson } from "../json/write-json.ts"
import { callMethod } from "../methods/definition/call-method.ts"
import type { Method } from "../methods/definition/method.ts"
import { hashOf } from "../methods/definition/parameter.ts"
import type { RpcError } from "../queries/rpc-error.ts"
import type { MethodNode } from "../methods/definition/method-node.ts"
import type { Format } from "./rest-path.ts"

/** Why a path has no content: the status and the text for the client. */
export interface RestFault {
  readonly _tag: "RestFault"
  readonly status: number
  readonly message: string
}

export const restFault = (status: number, message: string): RestFault => ({ _tag: "RestFault", status, message })

export const refuseResource = (status: number, message: string): Effect.Effect<never, RestFault> =>
  Effect.fail(restFault(status, message))

export type Answering = Effect.Effect<HttpAnswer, RestFault | RpcError>

const answer = (type: string, body: string | Uint8Array): HttpAnswer => ({
  status: 200,
  body,
  headers: { "Content-Type": type }
})

/** From this on digits are written without ever being a string. */
const LONG_BYTES = 16_384

const digits = (bytes: Uint8Array): string | Uint8Array =>
  bytes.length < LONG_BYTES
    ? `${hexOf(bytes)}\n`
    : new LongText("", Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), "\n").bytes("")

/** Content by the forms it comes in. */
interface Content {
  readonly bytes: Effect.Effect<Uint8Array, RestFault | RpcError>
  /** The digits, where they are not those of the bytes. */
  readonly hex?: string
  readonly json: Effect.Effect<JsonValue, RestFault | RpcError>
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

/** Content that comes as JSON alone. */
export const onlyJson = (
  format: Format | undefined,
  json: Effect.Effect<JsonValue, RestFault | RpcError>
): Answering =>
  format === "json" ? Effect.map(json, jsonAnswer) : refuseResource(404, "output format not found (available: json)")

/** The hash that a path names. */
export const hashIn = (text: string): Effect.Effect<Uint8Array, RestFault> => {
  const hash = hashOf(text, "hash")
  return Result.isSuccess(hash) ? Effect.succeed(hash.success) : refuseResource(400, `Invalid hash: ${text}`)
}

/** What a method of RPC answers. */
export const resultOf = (
  method: Method,
  node: MethodNode,
  ...params: ReadonlyArray<JsonRead>
): Effect.Effect<JsonValue, RpcError> => callMethod(method, params, node)
