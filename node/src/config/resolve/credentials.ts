import type { RpcCredentials, SaltedPassword } from "../config.ts"
import { type Effective, optionalValue, valueOf } from "../given/effective.ts"
import { SALTED_PASSWORD } from "../schema/rpc-tables.ts"

/** Parses a token file: one token a line; a line that starts with `#` is a comment. */
export const tokensInFile = (text: string): ReadonlyArray<string> =>
  text.split("\n").map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"))

/** Reports whether the token file is used: it is weaker than the environment, and stronger than the list in the file. */
export const isTokenFileUsed = (effective: Effective): boolean => {
  const origin = effective.get("rpc_auth.tokens")?.origin
  return effective.has("rpc_auth.token_file") && (origin === "default" || origin === "file")
}

const isSpoiled = (tokens: ReadonlyArray<string>): boolean => tokens.some((token) => !/^[\x21-\x7e]+$/.test(token))

export interface CredentialsFound {
  readonly credentials: RpcCredentials
  readonly problems: ReadonlyArray<string>
}

export const hasCredentials = ({ adminTokens, basic, salted, tokens }: RpcCredentials): boolean =>
  tokens.length > 0 || adminTokens.length > 0 || basic !== undefined || salted.length > 0

const saltedOf = (texts: ReadonlyArray<string>): ReadonlyArray<SaltedPassword> =>
  texts.flatMap((text) => {
    const [, user, salt, hash] = SALTED_PASSWORD.exec(text) ?? []
    return user === undefined ? [] : [{ user, salt: salt!, hash: hash! }]
  })

/** Reports whether callers need no credentials, and only the cookie grants more. */
export const isOpenToAll = (credentials: RpcCredentials): boolean =>
  !credentials.required && !hasCredentials(credentials)

/** Collects the credentials of callers. `fromFile` has the tokens of `token_file`, if that is used. */
export const credentialsOf = (effective: Effective, fromFile: ReadonlyArray<string> | undefined): CredentialsFound => {
  const username = optionalValue(effective, "rpc_auth.username")
  const password = optionalValue(effective, "rpc_auth.password")
  const credentials: RpcCredentials = {
    tokens: fromFile ?? valueOf(effective, "rpc_auth.tokens"),
    adminTokens: valueOf(effective, "rpc_auth.admin_tokens"),
    basic: username === undefined || password === undefined ? undefined : { username, password },
    salted: saltedOf(valueOf(effective, "rpc_auth.rpcauth")),
    whitelist: valueOf(effective, "rpc_auth.whitelist"),
    whitelistDefault: optionalValue(effective, "rpc_auth.whitelist_default"),
    required: valueOf(effective, "rpc_auth.required")
  }
  const problems: Array<string> = []
  if ((username === undefined) !== (password === undefined)) {
    const half = username === undefined ? "password without username" : "username without password"
    problems.push(`[rpc_auth]: ${half}; set both or none`)
  }
  if (fromFile !== undefined && isSpoiled(fromFile)) {
    problems.push("[rpc_auth].token_file: a token in it has spaces or characters that no HTTP header can carry")
  }
  return { credentials, problems }
}
