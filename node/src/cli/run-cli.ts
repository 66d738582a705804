import * as Cause from "effect/Cause"
import * as CliConfig from "effect/cli/CliConfig"
import type * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { shownBytes } from "../bytes/byte-path.ts"
import type { ConfigError } from "../config/config-error.ts"
import type { NodeFailure } from "../lifecycle/node-failure.ts"
import { type CommandFailure, ExitCode } from "./command-failure.ts"
import { cliServices } from "./cli-services.ts"
import { completionsFlag } from "./completions.ts"
import { COMMAND_NAMES } from "./command-names.ts"
import { commandTree } from "./command-tree.ts"
import { helpLine } from "./help-line.ts"
import { moduleLine } from "./module-line.ts"
import { oneDashFault } from "./option-advice.ts"
import { presenter } from "./presenter.ts"
import { say } from "./terminal.ts"
import { versionText } from "../version.ts"

/** `--version`, as in other programs, besides the command of the contract. */
const versionFlag = GlobalFlag.Action({
  flag: Flag.Boolean("version").pipe(
    Flag.withoutNegation,
    Flag.withDescription("Print the version"),
    Flag.withDefault(false)
  ),
  run: () => say(versionText())
})

/** Built-in flags. Completions are for shells; Effect's other flags are not for operators. */
const BUILT_INS = [GlobalFlag.Help, versionFlag, completionsFlag]

const program = (args: ReadonlyArray<string>) =>
  Command.runWith(commandTree, { version: "" })(moduleLine(helpLine(args, COMMAND_NAMES), Object.keys(COMMAND_NAMES)))
    .pipe(
      Effect.provideService(CliConfig.CliConfig, CliConfig.make({ builtIns: BUILT_INS })),
      Effect.provideService(CliOutput.Presenter, presenter),
      Effect.provide(cliServices)
    )

const complain = (lines: ReadonlyArray<string>): void => {
  for (const line of lines) process.stderr.write(shownBytes(`node: ${line}\n`))
}

type Failure = ConfigError | CommandFailure | NodeFailure | CliError.CliError

const exitCodeOf = (failure: Failure): number => {
  switch (failure._tag) {
    case "ConfigError":
      complain(failure.problems)
      return ExitCode.usage
    case "CommandFailure":
      complain(failure.lines)
      return failure.exitCode
    case "NodeFailure":
      complain(failure.message.split("\n"))
      return ExitCode.failed
    // The presenter has described the error; a group without one of its commands only shows its help.
    default:
      return ExitCode.usage
  }
}

/** Executes one command line. Returns the exit code. */
export const runCli = async (args: ReadonlyArray<string>): Promise<number> => {
  const fault = oneDashFault(args)
  if (fault !== undefined) {
    complain(fault)
    return ExitCode.usage
  }
  const exit = await Effect.runPromiseExit(program(args))
  if (Exit.isSuccess(exit)) return ExitCode.success
  const failure = exit.cause.reasons.find(Cause.isFailReason)
  if (failure !== undefined) return exitCodeOf(failure.error)
  complain(["internal error; please report it with the lines below", Cause.pretty(exit.cause)])
  return ExitCode.failed
}
