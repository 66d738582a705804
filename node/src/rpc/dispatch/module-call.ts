import { ipcErrorText } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import type { ModuleMethod } from "../../modules/api/module-methods.ts"
import type { JsonMembers, JsonRead, JsonValue } from "../json/json-value.ts"
import { readJson } from "../json/read-json.ts"
import { writeJson } from "../json/write-json.ts"
import { type RpcError, rpcError, RpcErrorCode } from "../rpc-error.ts"

/** Most values in the answer of a module: each takes memory of the node. */
const MAX_VALUES = 1_000_000

/** Calls a method that a module answers. */
export const callModule = (
  { call, module, name }: ModuleMethod,
  params: ReadonlyArray<JsonRead> | JsonMembers
): Effect.Effect<JsonValue, RpcError> =>
  call(writeJson(params)).pipe(
    Effect.mapError((error) => rpcError(RpcErrorCode.misc, ipcErrorText(error))),
    Effect.flatMap((text) => {
      const result = readJson(text, MAX_VALUES)
      return result === undefined
        ? Effect.fail(rpcError(RpcErrorCode.misc, `The module ${module} answered ${name} with a text that is no JSON`))
        : Effect.succeed(result)
    })
  )
