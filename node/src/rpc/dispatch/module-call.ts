import { type IpcError, ipcErrorText } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ModuleMethod } from "../../modules/api/module-methods.ts"
import type { JsonMembers, JsonRead, JsonValue } from "../../json/json-value.ts"
import { readJson } from "../../json/read-json.ts"
import { writeJson } from "../../json/write-json.ts"
import type { Method } from "../../methods/definition/method.ts"
import { RPC_CODES } from "../../methods/definition/rpc-codes.ts"
import type { CallError } from "../../queries/call-error.ts"
import type { RpcError } from "../rpc-error.ts"
import type { MethodNode } from "../../methods/definition/method-node.ts"
import { callMethod, checkedValues } from "../../methods/definition/call-method.ts"

/** Maximum number of JSON values in a module's answer: each takes memory of the node. */
const MAX_VALUES = 1_000_000

/** Returns the answer of a module to unchecked parameters. */
const answered = (
  { call, module, name }: ModuleMethod,
  params: ReadonlyArray<JsonRead> | JsonMembers
): Effect.Effect<JsonValue, IpcError> =>
  Effect.flatMap(call(writeJson(params)), (text) => {
    const result = readJson(text, MAX_VALUES)
    return result === undefined
      ? Effect.fail({ kind: undefined, text: `The module ${module} answered ${name} with a text that is no JSON` })
      : Effect.succeed(result)
  })

const errorOf = (error: IpcError): RpcError => ({ code: error.code ?? RPC_CODES.Misc, message: ipcErrorText(error) })

/** Calls a method that a module adds. */
export const callModule = (
  method: ModuleMethod,
  params: ReadonlyArray<JsonRead> | JsonMembers
): Effect.Effect<JsonValue, RpcError> => Effect.mapError(answered(method, params), errorOf)

/**
 * Calls a module in place of the node's own method, with parameters checked by the node and passed by position. The
 * node itself answers if the module has stopped or is overloaded, or if its answer is too long for a message.
 */
export const callOverride = (
  override: ModuleMethod,
  method: Method,
  params: ReadonlyArray<JsonRead> | JsonMembers,
  node: MethodNode
): Effect.Effect<JsonValue, CallError | RpcError> => {
  const values = checkedValues(method, params, node)
  if (Result.isFailure(values)) return Effect.fail(values.failure)
  return Effect.catch(
    answered(override, values.success),
    (error): Effect.Effect<JsonValue, CallError | RpcError> =>
      error.kind === "ConnectionError" || error.kind === "ResourceExhausted"
        ? callMethod(method, params, node)
        : Effect.fail(errorOf(error))
  )
}
