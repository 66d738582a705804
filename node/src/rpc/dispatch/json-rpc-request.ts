import * as Result from "effect/Result"
import { JsonMembers, type JsonRead } from "../../json/json-value.ts"
import { JsonRpcCode, type RpcError } from "../rpc-error.ts"

/** Form of an answer. 2.0 has a result or an error; earlier versions have both members, one of which is null. */
export type JsonRpcVersion = "1" | "2.0"

/** Facts about a request that its answer needs, known even if the rest of the request is malformed. */
export interface Envelope {
  readonly version: JsonRpcVersion
  /** `undefined` if the request has no member of that name. */
  readonly id: JsonRead | undefined
}

/** One call. */
export interface JsonRpcRequest {
  readonly envelope: Envelope
  readonly method: string
  readonly params: ReadonlyArray<JsonRead> | JsonMembers
}

/** Envelope for the answer to a malformed request. */
export const NO_REQUEST: Envelope = { version: "1", id: null }

/** Reports whether a request is a notification, which gets no answer. */
export const isNotification = ({ id, version }: Envelope): boolean => id === undefined && version === "2.0"

/** Returns the requested version, or the reason why it is not supported. */
const versionOf = (jsonrpc: JsonRead | undefined): JsonRpcVersion | { readonly problem: string } => {
  if (jsonrpc === undefined || jsonrpc === null || jsonrpc === "1.0") return "1"
  if (jsonrpc === "2.0") return "2.0"
  return { problem: typeof jsonrpc === "string" ? "JSON-RPC version not supported" : "jsonrpc field must be a string" }
}

const isParams = (params: JsonRead | undefined): params is ReadonlyArray<JsonRead> | JsonMembers =>
  Array.isArray(params) || params instanceof JsonMembers

/**
 * Returns the call in a value, or the error to answer. `before` is the envelope of the preceding request of a batch:
 * like Bitcoin Core, an element that is no object is answered in that form.
 */
export const jsonRpcRequest = (
  value: JsonRead,
  before: Envelope = NO_REQUEST
): Result.Result<JsonRpcRequest, { readonly envelope: Envelope; readonly error: RpcError }> => {
  const refused = (envelope: Envelope, message: string) =>
    Result.fail({ envelope, error: { code: JsonRpcCode.invalidRequest, message } })
  if (!(value instanceof JsonMembers)) return refused(before, "Invalid Request object")
  const id = value.get("id")
  const version = versionOf(value.get("jsonrpc"))
  if (typeof version !== "string") return refused({ version: "1", id }, version.problem)
  const envelope: Envelope = { version, id }
  const method = value.get("method") ?? null
  if (method === null) return refused(envelope, "Missing method")
  if (typeof method !== "string") return refused(envelope, "Method must be a string")
  const params = value.get("params") ?? []
  return isParams(params)
    ? Result.succeed({ envelope, method, params })
    : refused(envelope, "Params must be an array or object")
}
