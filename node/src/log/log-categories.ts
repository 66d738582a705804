/** The parts of the node whose lines can be told apart. */
export const LOG_CATEGORIES: ReadonlyArray<string> = ["chain", "config", "events", "log", "net", "node", "rpc"]
