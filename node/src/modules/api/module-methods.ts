import type { CliSpec, IpcError } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import { requestFailed } from "./api-call.ts"
import type { ModuleState, RegisteredMethod } from "./module-state.ts"

/** An RPC method that a module serves. */
export interface ModuleMethod extends RegisteredMethod {
  readonly name: string
  readonly module: string
  /** Calls the method. Its parameters and its result are JSON texts. */
  readonly call: (params: string) => Effect.Effect<string, IpcError>
}

/** Output of a module's command. */
export interface CommandOutput {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

/** Methods and commands that modules add to the node, for RPC and the command line. */
export interface ModuleMethods {
  /** Returns the method of a name while its module is connected. */
  readonly find: (name: string) => ModuleMethod | undefined
  readonly all: () => ReadonlyArray<ModuleMethod>
  readonly cliSpecs: () => ReadonlyArray<CliSpec>
  /** Runs a command of a module. */
  readonly run: (
    module: string,
    subcommand: string,
    args: ReadonlyArray<string>
  ) => Effect.Effect<CommandOutput, IpcError>
}

const methodOf = (state: ModuleState, name: string, method: RegisteredMethod): ModuleMethod => ({
  ...method,
  name,
  module: state.name,
  call: (params) =>
    Effect.flatMap(state.invoke({ _tag: "Rpc", method: name, params }), (answer) =>
      answer._tag === "Rpc"
        ? Effect.succeed(answer.result)
        : Effect.fail(requestFailed(`the module ${state.name} answered a call of RPC with ${answer._tag}`)))
})

const methodsOf = (state: ModuleState): ReadonlyArray<ModuleMethod> =>
  [...state.methods].map(([name, method]) => methodOf(state, name, method))

const run = (
  state: ModuleState | undefined,
  subcommand: string,
  args: ReadonlyArray<string>
): Effect.Effect<CommandOutput, IpcError> => {
  if (state?.cliSpec?.subcommands.some(({ name }) => name === subcommand) !== true) {
    return Effect.fail(requestFailed(`no module that runs has this command: ${subcommand}`))
  }
  return Effect.flatMap(state.invoke({ _tag: "Cli", subcommand, args }), (answer) =>
    answer._tag === "Cli"
      ? Effect.succeed({ stdout: answer.stdout, stderr: answer.stderr, exitCode: answer.exit_code })
      : Effect.fail(requestFailed(`the module ${state.name} answered a command with ${answer._tag}`)))
}

/** The methods and commands of these modules. */
export const moduleMethods = (modules: ReadonlyMap<string, ModuleState>): ModuleMethods => ({
  find: (name) => {
    for (const state of modules.values()) {
      const method = state.methods.get(name)
      if (method !== undefined) return methodOf(state, name, method)
    }
    return undefined
  },
  all: () => [...modules.values()].flatMap(methodsOf),
  cliSpecs: () => [...modules.values()].flatMap(({ cliSpec }) => cliSpec === undefined ? [] : [cliSpec]),
  run: (module, subcommand, args) => Effect.suspend(() => run(modules.get(module), subcommand, args))
})
