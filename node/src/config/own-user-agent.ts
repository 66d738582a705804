import { CORE_RELEASE, version } from "../version.ts"

/** The user agent of a node: this software's alone, or preceded by the one that clients of Bitcoin Core look for. */
export type UserAgentKind = "lockstep" | "satoshi"

/**
 * Returns the user agent that peers and RPC clients see (BIP14), with the operator's comments after the last name.
 *
 * Clients strip `/Satoshi:` and compare what follows as text with the releases they know. So the matched release comes
 * first, and this software's own name after it (docs/decisions/0037-clients-read-the-subversion.md).
 */
export const ownUserAgent = (kind: UserAgentKind, comments: ReadonlyArray<string> = []): string => {
  const prefix = kind === "satoshi" ? `/Satoshi:${CORE_RELEASE}` : ""
  return `${prefix}/Lockstep:${version()}${comments.length === 0 ? "" : `(${comments.join("; ")})`}/`
}
