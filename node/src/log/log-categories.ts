/** The parts of the node that have a log category. */
export const LOG_CATEGORIES: ReadonlyArray<string> = [
  "chain",
  "config",
  "events",
  "health",
  "log",
  "net",
  "node",
  "rpc"
]
