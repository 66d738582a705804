import * as Schema from "effect/Schema"
import { asTyped } from "../typed-command.ts"

/** Exit codes of the command line. */
export const ExitCode = {
  success: 0,
  /** The command was valid but could not be executed. */
  failed: 1,
  /** The command line or the configuration is invalid. */
  usage: 2,
  /** The command was executed, but the result lacks something that matters for privacy or access. */
  incomplete: 3
} as const

/** A command failed. Each line is for the operator. */
export class CommandFailure extends Schema.TaggedError<CommandFailure>()("CommandFailure", {
  lines: Schema.Array(Schema.String),
  exitCode: Schema.Int
}) {
  override get message(): string {
    return this.lines.join("\n")
  }
}

export const commandFailed = (...lines: ReadonlyArray<string>): CommandFailure =>
  new CommandFailure({ lines, exitCode: ExitCode.failed })

export const misused = (...lines: ReadonlyArray<string>): CommandFailure =>
  new CommandFailure({ lines, exitCode: ExitCode.usage })

export const incomplete = (...lines: ReadonlyArray<string>): CommandFailure =>
  new CommandFailure({ lines, exitCode: ExitCode.incomplete })

export const notBuilt = (command: string, part: string): CommandFailure =>
  commandFailed(`${asTyped(command)}: ${part} is not in this build yet`)
