/** Words of a command line that does something else than to run the node. */
const OTHERWISE = new Set([
  "version",
  "config",
  "health",
  "status",
  "rpc",
  "sync",
  "import",
  "rebuild",
  "verify",
  "migrate",
  "load",
  "module",
  "help",
  "--help",
  "-h",
  "--version",
  "--completions"
])

/** Whether a command line runs the node, as far as its words show. */
export const mayRunNode = (args: ReadonlyArray<string>): boolean => !args.some((word) => OTHERWISE.has(word))
