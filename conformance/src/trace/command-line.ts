import { parseArgs, type ParseArgsOptionsConfig } from "node:util"

/** Thrown where only the person at the keyboard can help: the message is all that is shown. */
export class UserError extends Error {}

const messageOf = (error: unknown): string => error instanceof Error ? error.message : String(error)

const parse = <const O extends ParseArgsOptionsConfig>(options: O) => {
  try {
    return parseArgs({ options: { ...options, help: { type: "boolean", default: false } }, strict: true }).values
  } catch (error) {
    // The first sentence names the option; what follows advises on positional arguments, which no command here takes.
    throw new UserError(messageOf(error).split(". ")[0])
  }
}

/**
 * Runs a command line tool: reads its options, answers `--help`, and turns whatever goes wrong into one line and an
 * exit code (2: asked wrongly, 1: the tool found a fault or failed).
 */
export const runCommand = async <const O extends ParseArgsOptionsConfig>(
  usage: string,
  options: O,
  body: (values: ReturnType<typeof parse<O>>) => number | Promise<number>
): Promise<void> => {
  try {
    const values = parse(options)
    if ((values as { readonly help?: boolean }).help === true) console.log(usage)
    else process.exitCode = await body(values)
  } catch (error) {
    console.error(messageOf(error))
    if (error instanceof UserError) console.error(`\n${usage}`)
    process.exitCode = error instanceof UserError ? 2 : 1
  }
}
