import type * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import { nearest } from "@lockstep/protocol/nearest-name.ts"
import * as Effect from "effect/Effect"
import { asTyped, LOCKSTEP } from "../typed-command.ts"
import { commandsBelow } from "./command-names.ts"
import { environment } from "./environment.ts"
import { insteadOf } from "./option-advice.ts"
import { remark, say } from "./terminal.ts"

const suggestionOf = (suggestions: ReadonlyArray<string>): string =>
  suggestions.length === 0 ? "" : `; did you mean ${suggestions.join(" or ")}?`

const dashed = (option: string): string => option.startsWith("-") ? option : `--${option}`

const optionsNear = ({ option, suggestions }: CliError.UnrecognizedOption): ReadonlyArray<string> => {
  if (suggestions.length > 0) return suggestions.map(dashed)
  const instead = insteadOf(option)
  return instead === undefined ? [] : [instead]
}

/** RPC methods that operators type as a command. */
const CALLS = new Set(["stop", "getinfo", "getblockchaininfo", "getpeerinfo", "generatetoaddress"])

const commandsNear = (
  { subcommand, suggestions }: CliError.UnknownSubcommand,
  path: ReadonlyArray<string>
): ReadonlyArray<string> => {
  if (suggestions.length > 0) return suggestions
  if (CALLS.has(subcommand)) return [`rpc ${subcommand === "getinfo" ? "getblockchaininfo" : subcommand}`]
  const near = nearest(subcommand, commandsBelow(path))
  return near === undefined ? [] : [near]
}

const aboutValue = ({ expected, kind, option, value }: CliError.InvalidValue): string => {
  const name = kind === "argument" ? `<${option}>` : dashed(option)
  if (value === "") return `${name}: a value is missing`
  if (/^\d+ occurrences$/.test(value)) return `${name}: given more than once`
  return `${name}: expected ${expected.replace(/^Expected:? /, "")}, found "${value}"`
}

/** Drops the errors about words after an unknown option, which may be its value. */
const withoutEchoes = (errors: ReadonlyArray<CliError.NonShowHelpErrors>): ReadonlyArray<CliError.NonShowHelpErrors> =>
  errors.some(({ _tag }) => _tag === "UnrecognizedOption")
    ? errors.filter(({ _tag }) => _tag !== "UnknownSubcommand" && _tag !== "UnexpectedArgument")
    : errors

/** Describes an error in a command line in one line. */
const lineOf = (error: CliError.NonShowHelpErrors, path: ReadonlyArray<string>): string => {
  switch (error._tag) {
    case "UnrecognizedOption":
      return `unknown option ${error.option}${suggestionOf(optionsNear(error))}`
    case "UnknownSubcommand":
      return `unknown command "${error.subcommand}"${suggestionOf(commandsNear(error, path))}`
    case "InvalidValue":
      return aboutValue(error)
    case "MissingArgument":
      return `<${error.argument}> is missing`
    case "MissingOption":
      return `${dashed(error.option)} is missing`
    case "UnexpectedArgument":
      return `nothing goes behind the command but options; found ${
        error.arguments.map((found) => `"${found}"`).join(", ")
      }`
    default:
      return error.message
  }
}

/** Prints help to standard output, and errors to standard error without the help. */
export const presenter: CliOutput.Presenter = {
  present: Effect.fnUntraced(function*(event) {
    const formatter = CliOutput.defaultFormatter({
      colors: process.stdout.isTTY === true && environment["NO_COLOR"] === undefined,
      inheritedFlags: "summary"
    })
    switch (event._tag) {
      case "Help":
        return yield* say(formatter.formatHelpDoc(event.helpDoc).replace("\nRun 'lockstep ", `\nRun '${LOCKSTEP} `))
      case "InvalidInvocation": {
        const path = event.commandPath.slice(1)
        yield* remark(...new Set(withoutEchoes(event.errors).map((error) => lineOf(error, path))))
        return yield* remark(
          `${asTyped([...path, "--help"].join(" "))} shows commands and options`
        )
      }
      case "Version":
        return yield* say(formatter.formatVersion(event.name, event.version))
    }
  })
}
