import type { IpcError, ModuleInfo } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import { requestFailed } from "./api-call.ts"
import type { RequestHandlers, ModuleContext, Payload } from "./module-context.ts"
import type { ModuleState } from "./module-state.ts"

/** Maximum number of methods that a module offers to others. */
const MAX_API_METHODS = 256
const METHOD = /^[a-zA-Z_][a-zA-Z0-9_.]{0,63}$/

const infoOf = ({ isLoaded, moduleApi, name, permissions, version }: ModuleState): ModuleInfo => ({
  module_id: name,
  module_name: name,
  version,
  capabilities: [...permissions],
  status: { _tag: isLoaded ? "Running" : "Initializing" },
  api_version: moduleApi?.version ?? 0
})

const offers = ({ moduleApi }: ModuleState, method: string): boolean => moduleApi?.methods.has(method) === true

/** Returns the module that a call addresses; without a name, the only other module that has the method. */
const calledModule = (
  { module, modules }: ModuleContext,
  { method, target_module_id: name }: Payload<"CallModule">
): ModuleState | string => {
  if (name !== undefined) {
    const target = modules.get(name)
    if (target === undefined || target === module) return `there is no other module ${name}`
    return offers(target, method) ? target : `the module ${name} has no method ${method}`
  }
  const [only, second] = [...modules.values()].filter((each) => each !== module && offers(each, method))
  if (only === undefined) return `no other module has a method ${method}`
  return second === undefined ? only : `several modules have a method ${method}: name one`
}

const call = Effect.fnUntraced(
  function*(context: ModuleContext, request: Payload<"CallModule">): Effect.fn.Return<Uint8Array, IpcError> {
    const target = calledModule(context, request)
    if (typeof target === "string") return yield* Effect.fail(requestFailed(target))
    const { method, params } = request
    const answer = yield* target.invoke({ _tag: "ModuleApi", method, params, caller_module_id: context.module.name })
    if (answer._tag !== "ModuleApi") {
      return yield* Effect.fail(requestFailed(`the module ${target.name} answered a call with ${answer._tag}`))
    }
    return answer.data
  }
)

const registerApi = (
  { module }: ModuleContext,
  { api_version: version, methods }: Payload<"RegisterModuleApi">
): Effect.Effect<void, IpcError> =>
  Effect.suspend(() => {
    if (methods.length > MAX_API_METHODS) {
      return Effect.fail({ kind: "ResourceExhausted", text: `an API has up to ${MAX_API_METHODS} methods` } as const)
    }
    const bad = methods.find((method) => !METHOD.test(method))
    if (bad !== undefined) return Effect.fail(requestFailed(`${JSON.stringify(bad)} is no name of a method`))
    module.moduleApi = { methods: new Set(methods), version }
    return Effect.void
  })

/** Handlers of requests about other modules, which are identified by name. */
export const MODULE_REQUESTS: RequestHandlers<
  | "DiscoverModules"
  | "GetModuleInfo"
  | "IsModuleAvailable"
  | "CallModule"
  | "RegisterModuleApi"
  | "UnregisterModuleApi"
> = {
  DiscoverModules: ({ modules }) =>
    Effect.sync(() => ({ _tag: "ModuleList", value: [...modules.values()].map(infoOf) })),
  GetModuleInfo: ({ modules }, { module_id }) =>
    Effect.sync(() => {
      const found = modules.get(module_id)
      return { _tag: "ModuleInfo", value: found && infoOf(found) }
    }),
  IsModuleAvailable: ({ modules }, { module_id }) =>
    Effect.sync(() => ({ _tag: "ModuleAvailable", value: modules.get(module_id)?.isLoaded === true })),
  CallModule: (context, request) =>
    Effect.map(call(context, request), (value) => ({ _tag: "ModuleApiResponse", value })),
  RegisterModuleApi: (context, request) => Effect.as(registerApi(context, request), { _tag: "ModuleApiRegistered" }),
  UnregisterModuleApi: ({ module }) =>
    Effect.sync(() => {
      module.moduleApi = undefined
      return { _tag: "ModuleApiUnregistered" }
    })
}
