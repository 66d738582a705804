import * as Effect from "effect/Effect"
import { JsonMembers, JsonNumber } from "../../json/json-value.ts"
import { CommandFailure, commandFailed } from "../command-failure.ts"
import type { GlobalInput } from "../global-options.ts"
import { callersConfig } from "../loaded-config.ts"
import { callNode } from "./node-client.ts"

const write = (stream: NodeJS.WriteStream, text: unknown): void => {
  if (typeof text === "string") stream.write(text)
}

/** Runs a command of a module of the running node, with its output and its exit code. */
export const runModuleCommand = Effect.fn("module.run")(function*(
  input: GlobalInput,
  module: string,
  command: string,
  args: ReadonlyArray<string>
) {
  const { config } = yield* callersConfig(input)
  const { error, result } = yield* callNode(config, "runmodulecli", [module, command, args], 0)
  if (error !== undefined) return yield* commandFailed(error.message)
  if (!(result instanceof JsonMembers)) return yield* commandFailed("the node did not answer what the command printed")
  yield* Effect.sync(() => {
    write(process.stdout, result.get("stdout"))
    write(process.stderr, result.get("stderr"))
  })
  const exitCode = result.get("exit_code")
  const code = exitCode instanceof JsonNumber ? Number(exitCode.text) : 0
  if (code !== 0) return yield* new CommandFailure({ lines: [], exitCode: code })
})
