/** What is shown where RPC cannot be served; why stands in the log. */
export const HTTP_FAILED = "Unable to start HTTP server. See debug log for details."
