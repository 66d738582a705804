import { positions } from "./module-line.ts"

/** A command by its name, with those below it. */
export interface CommandNames {
  readonly [name: string]: CommandNames
}

/** Commands whose arguments may be `help`: that of RPC, or one of a module. */
const TAKES_HELP = new Set(["rpc", "module run"])

/**
 * Rewrites a command line that requests help with a word to one with `--help`: `help`, `help config`, `config help` and
 * `config explain help`. Any other line stays as it is; `rpc help` calls the node.
 */
export const helpLine = (args: ReadonlyArray<string>, tree: CommandNames): ReadonlyArray<string> => {
  const at = positions(args)
  const words = at.map((i) => args[i]!)
  const helpAt = words.indexOf("help")
  if (helpAt < 0 || args.includes("--")) return args
  let commands: CommandNames | undefined = tree
  for (const word of words.slice(0, helpAt)) commands = commands?.[word]
  if (commands === undefined || TAKES_HELP.has(words.slice(0, helpAt).join(" "))) return args
  // The word is the first or the last one.
  if (helpAt > 0 && helpAt < words.length - 1) return args
  return [...args.filter((_, i) => i !== at[helpAt]), "--help"]
}
