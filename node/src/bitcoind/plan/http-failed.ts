/** Message shown if RPC cannot be served. The log has the reason. */
export const HTTP_FAILED = "Unable to start HTTP server. See debug log for details."

/** Prefix of the problem with `-rpcallowip`, which is shown before that message. */
export const NO_SUBNET = "Invalid -rpcallowip subnet specification: "

/** Returns all messages shown for a problem. */
export const shownProblem = (problem: string): ReadonlyArray<string> =>
  problem.startsWith(NO_SUBNET) ? [problem, HTTP_FAILED] : [problem]
