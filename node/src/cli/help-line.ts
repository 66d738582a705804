import { positions } from "./module-line.ts"

/** A command by its name, with those below it. */
export interface CommandNames {
  readonly [name: string]: CommandNames
}

/** Commands whose arguments may be `help`: that of RPC, or one of a module. */
const TAKES_HELP = new Set(["rpc", "module run"])

/**
 * A command line that asks for help in a word, as the line with `--help` that it stands for: `help`, `help config`, `config help`
 * and `config explain help`. Any other line stays as it is; `rpc help` calls the node.
 */
export const helpLine = (args: ReadonlyArray<string>, tree: CommandNames): ReadonlyArray<string> => {
  const at = positions(args)
  const words = at.map((i) => args[i]!)
  const helpAt = words.indexOf("help")
  if (helpAt < 0 || args.includes("--")) return args
  let commands: CommandNames | undefined = tree
  for (const word of words.slice(0, helpAt)) commands = commands?.[word]
  if (commands === undefined || TAKES_HELP.has(words.slice(0, helpAt).join(" "))) return args
  // Behind the word there is nothing, or in front of it there is nothing.
  if (helpAt > 0 && helpAt < words.length - 1) return args
  return [...args.filter((_, i) => i !== at[helpAt]), "--help"]
}
