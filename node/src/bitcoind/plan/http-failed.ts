/** What is shown where RPC cannot be served; why stands in the log. */
export const HTTP_FAILED = "Unable to start HTTP server. See debug log for details."

/** How the problem with `-rpcallowip` begins, which is shown before that. */
export const NO_SUBNET = "Invalid -rpcallowip subnet specification: "

/** All that is shown of a problem. */
export const shownProblem = (problem: string): ReadonlyArray<string> =>
  problem.startsWith(NO_SUBNET) ? [problem, HTTP_FAILED] : [problem]
