import { commandTree } from "./command-tree.ts"
import type { CommandNames } from "./help-line.ts"

type WithCommands = Pick<typeof commandTree, "subcommands">

const below = ({ subcommands }: WithCommands): CommandNames =>
  Object.fromEntries(
    subcommands.flatMap(({ commands }) => commands.map((each) => [each.name, below(each as WithCommands)]))
  )

/** The names of all commands. */
export const COMMAND_NAMES: CommandNames = below(commandTree)

/** Returns the names of the commands below a path of commands; empty for an unknown path. */
export const commandsBelow = (path: ReadonlyArray<string>): ReadonlyArray<string> => {
  let at: CommandNames | undefined = COMMAND_NAMES
  for (const name of path) at = at?.[name]
  return Object.keys(at ?? {})
}
