import { optionText } from "../bitcoind/process/help-text.ts"
import { versionLine } from "../bitcoind/process/version-text.ts"
import { shownOptions } from "./cli-options.ts"

const USES = [
  "Usage:  bitcoin-cli [options] <command> [params]",
  "or:     bitcoin-cli [options] -named <command> [name=value]...",
  "or:     bitcoin-cli [options] help",
  "or:     bitcoin-cli [options] help <command>"
]

export const clientVersion = `${versionLine("RPC client", "bitcoin-cli")}\n`

/** Returns the output of `-help`; with `debug`, including options for tests. */
export const usage = (debug: boolean): string => {
  const parts = shownOptions(debug).filter(({ options }) => options.length > 0).map(({ heading, options }) =>
    `${heading}:\n\n${options.map(optionText).join("\n")}`
  )
  return `${clientVersion}\n${USES.join("\n")}\n\n${parts.join("\n")}\n`
}
