import { textOfBytes } from "../../bytes/byte-text.ts"
import type { RpcCredentials } from "../../config/config.ts"
import { readAuthorization } from "./authorization.ts"
import type { Caller } from "./caller.ts"

/** What callers without a user name are called in a whitelist. The cookie has its own: `__cookie__`. */
export const NAMES_OF_CALLERS = { anonymous: "__anonymous__", normal: "__token__", admin: "__admin_token__" } as const

/** A caller whose credentials are right. */
interface Known {
  readonly caller: Caller
  readonly authorization: string | undefined
}

/** The name that a caller has in a whitelist. */
export const userOf = ({ authorization, caller }: Known): string => {
  const given = authorization === undefined ? undefined : readAuthorization(authorization)
  if (given?.scheme === "basic") return textOfBytes(given.secret).split(":", 1)[0]!
  return caller === "refused" ? "" : NAMES_OF_CALLERS[caller]
}

/**
 * Whether a caller may call a method, beside what its privilege says. A method of no name is for callers without a
 * list.
 */
export type MayCall = (known: Known, method: string | undefined) => boolean

/**
 * Each user may call the methods of its list alone. Those without a list may call none or all, as `whitelistDefault`
 * says; where it says nothing: none, as soon as there is a list.
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
