/** The text of a configuration under which this token may call everything, and only TCP is used; `more`: its further lines. */
export const configWith = (token: string, ...more: ReadonlyArray<string>): string =>
  [`transport_preference = "tcponly"`, `[rpc_auth]`, `admin_tokens = ["${token}"]`, ...more].join("\n")
