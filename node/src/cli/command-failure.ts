import * as Schema from "effect/Schema"
import { asTyped } from "../typed-command.ts"

/** Exit codes of the command line. */
export const ExitCode = {
  success: 0,
  /** The command was understood and could not be carried out. */
  failed: 1,
  /** The command line or the configuration is wrong. */
  usage: 2,
  /** It was done, and something that decides about privacy or access is missing in what was made. */
  incomplete: 3
} as const

/** A command could not be carried out: each line is for a person. */
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
