import type { QuicRpcConfig } from "../../config/config.ts"
import type { Caller } from "../../http/auth/caller.ts"

/**
 * Returns a lookup of callers by the identity that a certificate proves. It yields `undefined` for an unknown identity.
 */
export const certificateCaller = (
  { adminIdentities, identities }: Pick<QuicRpcConfig, "adminIdentities" | "identities">
): (identity: string) => Caller | undefined => {
  const [admins, others] = [new Set(adminIdentities), new Set(identities)]
  return (identity) => admins.has(identity) ? "admin" : others.has(identity) ? "normal" : undefined
}
