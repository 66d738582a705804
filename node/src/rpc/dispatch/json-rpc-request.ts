import * as Result from "effect/Result"
import { JsonMembers, type JsonRead } from "../../json/json-value.ts"
import { JsonRpcCode, type RpcError } from "../rpc-error.ts"

/** How an answer is put: 2.0 has a result or an error, what was before it has both, one of them null. */
export type JsonRpcVersion = "1" | "2.0"

/** What an answer needs to know about its request, also when nothing else of it can be understood. */
export interface Envelope {
  readonly version: JsonRpcVersion
  /** None: the request has no member of that name. */
  readonly id: JsonRead | undefined
}

/** One call. */
export interface JsonRpcRequest {
  readonly envelope: Envelope
  readonly method: string
  readonly params: ReadonlyArray<JsonRead> | JsonMembers
}

/** What the answer to something incomprehensible looks like. */
export const NO_REQUEST: Envelope = { version: "1", id: null }

/** A notification gets no answer. */
export const isNotification = ({ id, version }: Envelope): boolean => id === undefined && version === "2.0"

/** The version that was asked for; a text is why there is none. */
const versionOf = (jsonrpc: JsonRead | undefined): JsonRpcVersion | { readonly problem: string } => {
  if (jsonrpc === undefined || jsonrpc === null || jsonrpc === "1.0") return "1"
  if (jsonrpc === "2.0") return "2.0"
  return { problem: typeof jsonrpc === "string" ? "JSON-RPC version not supported" : "jsonrpc field must be a string" }
}

const isParams = (params: JsonRead | undefined): params is ReadonlyArray<JsonRead> | JsonMembers =>
  Array.isArray(params) || params instanceof JsonMembers

/**
 * The call that a value stands for, or what is wrong with it. `before`: how the one before it in a batch is answered, as
 * which Bitcoin Core answers what is no object.
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
