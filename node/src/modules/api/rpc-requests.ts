import type { CliSpec, IpcError } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import { requestFailed } from "./api-call.ts"
import type { RequestHandlers, ModuleContext } from "./module-context.ts"

/** Maximum number of RPC methods of one module. */
export const MAX_METHODS = 64

const MAX_DESCRIPTION = 1_024
const NAME = /^[a-z][a-z0-9_]{0,63}$/

/** Limits on the commands that one module adds. */
const MAX_SUBCOMMANDS = 64
const MAX_ARGUMENTS = 16

const exhausted = (text: string): IpcError => ({ kind: "ResourceExhausted", text })

const ownerOf = (method: string, { modules }: ModuleContext): string | undefined => {
  for (const { methods, name } of modules.values()) if (methods.has(method)) return name
  return undefined
}

/** Returns the reason why a module may not serve a method, for new methods and overrides alike. */
const sharedFault = (method: string, description: string, context: ModuleContext): IpcError | undefined => {
  const owner = ownerOf(method, context)
  if (owner !== undefined) return requestFailed(`${method} is a method of the module ${owner}`)
  if (description.length > MAX_DESCRIPTION) {
    return requestFailed(`a description has up to ${MAX_DESCRIPTION} characters`)
  }
  return context.module.methods.size >= MAX_METHODS ? exhausted(`a module has up to ${MAX_METHODS} methods`) : undefined
}

const endpointFault = (method: string, { isCoreMethod }: ModuleContext): IpcError | undefined => {
  if (!NAME.test(method)) return requestFailed("a method's name has up to 64 of a-z, 0-9 and _, a letter first")
  return isCoreMethod(method) ? requestFailed(`${method} is a method of the node`) : undefined
}

const overrideFault = (method: string, { isCoreMethod, module }: ModuleContext): IpcError | undefined => {
  if (!module.rpcOverrides.has(method)) {
    return { kind: "PermissionDenied", text: `rpc_overrides of the manifest does not name ${method}` }
  }
  return isCoreMethod(method) ? undefined : requestFailed(`${method} is no method of the node`)
}

const register = (
  context: ModuleContext,
  { description, method }: { readonly description: string; readonly method: string },
  isOverride: boolean
): Effect.Effect<void, IpcError> =>
  Effect.suspend(() => {
    const fault = (isOverride ? overrideFault : endpointFault)(method, context) ??
      sharedFault(method, description, context)
    if (fault !== undefined) return Effect.fail(fault)
    context.module.methods.set(method, { description, isOverride })
    return Effect.void
  })

const unregister = (
  { module: { methods } }: ModuleContext,
  method: string,
  isOverride: boolean
): Effect.Effect<void, IpcError> =>
  Effect.suspend(() => {
    if (methods.get(method)?.isOverride !== isOverride) {
      return Effect.fail(requestFailed(`the module has not registered ${method}`))
    }
    methods.delete(method)
    return Effect.void
  })

const specFault = ({ name, subcommands }: CliSpec, module: string): IpcError | undefined => {
  if (name !== module) return requestFailed(`the commands of a module stand below its name, ${module}`)
  if (
    subcommands.length > MAX_SUBCOMMANDS || subcommands.some(({ arguments: given }) => given.length > MAX_ARGUMENTS)
  ) {
    return exhausted(`a module has up to ${MAX_SUBCOMMANDS} commands with up to ${MAX_ARGUMENTS} arguments each`)
  }
  const names = subcommands.map((subcommand) => subcommand.name)
  if (new Set(names).size < names.length) return requestFailed("two commands have the same name")
  return names.every((each) => /^[a-z][a-z0-9-]{0,63}$/.test(each))
    ? undefined
    : requestFailed("a command's name has up to 64 of a-z, 0-9 and -, a letter first")
}

const registerSpec = ({ module }: ModuleContext, spec: CliSpec): Effect.Effect<void, IpcError> =>
  Effect.suspend(() => {
    const fault = specFault(spec, module.name)
    if (fault !== undefined) return Effect.fail(fault)
    module.cliSpec = spec
    return Effect.void
  })

/** Handlers of requests about RPC methods and commands that modules add. */
export const RPC_REQUESTS: RequestHandlers<
  | "RegisterRpcEndpoint"
  | "UnregisterRpcEndpoint"
  | "RegisterCoreRpcOverride"
  | "UnregisterCoreRpcOverride"
  | "RegisterCliSpec"
> = {
  RegisterRpcEndpoint: (context, endpoint) =>
    Effect.as(register(context, endpoint, false), { _tag: "RpcEndpointRegistered" }),
  UnregisterRpcEndpoint: (context, { method }) =>
    Effect.as(unregister(context, method, false), { _tag: "RpcEndpointUnregistered" }),
  RegisterCoreRpcOverride: (context, endpoint) =>
    Effect.as(register(context, endpoint, true), { _tag: "CoreRpcOverrideRegistered" }),
  UnregisterCoreRpcOverride: (context, { method }) =>
    Effect.as(unregister(context, method, true), { _tag: "CoreRpcOverrideUnregistered" }),
  RegisterCliSpec: (context, { spec }) => Effect.as(registerSpec(context, spec), { _tag: "CliSpecRegistered" })
}
