/** Words of command lines that do not run the node. */
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

/** Reports whether a command line runs the node, judged by its words. */
export const mayRunNode = (args: ReadonlyArray<string>): boolean => !args.some((word) => OTHERWISE.has(word))
