import type { QuicRpcConfig } from "../../config/config.ts"
import type { Caller } from "../../http/auth/caller.ts"

/** Finds the caller by the identity that its certificate has proved; none: the identity is not known. */
export const certificateCaller = (
  { adminIdentities, identities }: Pick<QuicRpcConfig, "adminIdentities" | "identities">
): (identity: string) => Caller | undefined => {
  const [admins, others] = [new Set(adminIdentities), new Set(identities)]
  return (identity) => admins.has(identity) ? "admin" : others.has(identity) ? "normal" : undefined
}
