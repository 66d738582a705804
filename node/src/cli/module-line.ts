import { nearest } from "@lockstep/protocol/nearest-name.ts"
import { GLOBAL_OPTIONS } from "./global-options.ts"

const WITH_VALUE = new Set([
  "--config",
  "-c",
  "--set",
  ...GLOBAL_OPTIONS.filter(({ metavar }) => metavar !== undefined).flatMap(({ alias, name }) => [
    `--${name}`,
    ...alias === undefined ? [] : [`-${alias}`]
  ])
])

/** Returns the positions of the words that are neither an option nor its value. */
export const positions = (args: ReadonlyArray<string>): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let i = 0; i < args.length; i++) {
    const word = args[i]!
    if (!word.startsWith("-")) found.push(i)
    else if (WITH_VALUE.has(word)) i++
  }
  return found
}

/**
 * Rewrites a command line that begins with the name of a module and one of its commands to a line of `module run`. Any
 * other line stays as it is, and so does one with a word that resembles a command of the node. Words after the command
 * belong to the module.
 */
export const moduleLine = (args: ReadonlyArray<string>, commands: ReadonlyArray<string>): ReadonlyArray<string> => {
  const at = positions(args)[0] ?? -1
  const [module, command, ...rest] = args.slice(at)
  if (at < 0 || module === undefined || command === undefined || command.startsWith("-")) return args
  if (commands.includes(module) || nearest(module, commands) !== undefined) return args
  return [...args.slice(0, at), "module", "run", module, command, ...rest.length === 0 ? [] : ["--", ...rest]]
}
