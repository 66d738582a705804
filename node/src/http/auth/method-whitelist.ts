import { textOfBytes } from "../../bytes/byte-text.ts"
import type { RpcCredentials } from "../../config/config.ts"
import { readAuthorization } from "./authorization.ts"
import type { Caller } from "./caller.ts"

/** Names in a whitelist of callers without a user name. The cookie's own name is `__cookie__`. */
export const NAMES_OF_CALLERS = { anonymous: "__anonymous__", normal: "__token__", admin: "__admin_token__" } as const

/** A caller with valid credentials. */
interface Known {
  readonly caller: Caller
  readonly authorization: string | undefined
}

/** Returns the name of a caller in a whitelist. */
export const userOf = ({ authorization, caller }: Known): string => {
  const given = authorization === undefined ? undefined : readAuthorization(authorization)
  if (given?.scheme === "basic") return textOfBytes(given.secret).split(":", 1)[0]!
  return caller === "refused" ? "" : NAMES_OF_CALLERS[caller]
}

/**
 * Reports whether the whitelist allows a caller to call a method; the method's privilege is a separate check. Without a
 * method name, only callers without a list are allowed.
 */
export type MayCall = (known: Known, method: string | undefined) => boolean

/**
 * Restricts each user to the methods of its list. `whitelistDefault` says whether users without a list may call none or
 * all; by default none if any list exists.
 */
export const methodWhitelist = (
  { whitelist, whitelistDefault }: Pick<RpcCredentials, "whitelist" | "whitelistDefault">
): MayCall => {
  const lists = new Map(Object.entries(whitelist).map(([user, methods]) => [user, new Set(methods)]))
  const areOthersRefused = whitelistDefault ?? lists.size > 0
  if (lists.size === 0 && !areOthersRefused) return () => true
  return (known, method) => {
    const list = lists.get(userOf(known))
    if (list === undefined) return !areOthersRefused
    return method !== undefined && list.has(method)
  }
}
