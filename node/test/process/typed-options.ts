import { parseArgs, type ParseArgsOptionsConfig } from "node:util"

/** What a command of the tests does other than its work: each ends the process. */
export interface Ending {
  readonly show: (text: string) => void
  readonly complain: (text: string) => void
  readonly exit: (code: number) => never
}

const PROCESS: Ending = {
  show: (text) => void process.stdout.write(`${text}\n`),
  complain: (text) => void process.stderr.write(`${text}\n`),
  exit: (code) => process.exit(code)
}

/**
 * The options that were typed, and names where `hasNames`. `--help` shows `usage` and ends the process; an option that
 * is not known is named, with `usage`, and the exit code is 2.
 */
export const typedOptions = <const O extends ParseArgsOptionsConfig>(
  usage: string,
  options: O,
  { hasNames = false, args = process.argv.slice(2), ending = PROCESS }: {
    readonly hasNames?: boolean
    readonly args?: ReadonlyArray<string>
    readonly ending?: Ending
  } = {}
) => {
  const parse = () => {
    try {
      return parseArgs({
        args: [...args],
        allowPositionals: hasNames,
        options: { ...options, help: { type: "boolean", default: false } }
      })
    } catch (error) {
      // The first sentence names the option; what follows is about names that look like options.
      ending.complain(`${(error as Error).message.split(". ")[0]}\n\n${usage}`)
      return ending.exit(2)
    }
  }
  const found = parse()
  if ((found.values as { readonly help?: boolean }).help === true) {
    ending.show(usage)
    return ending.exit(0)
  }
  return found
}
