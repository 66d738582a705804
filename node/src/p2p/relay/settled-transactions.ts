import type { P2pContext } from "../p2p-context.ts"
import { hashKey } from "../sync/hash-key.ts"
import { type Orphanage, orphanage } from "./orphanage.ts"
import { type RecentlyConfirmed, recentlyConfirmed } from "./recently-confirmed.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"
import { type RollingFilter, rollingFilter } from "./rolling-filter.ts"
import type { GenTxid } from "./tx-request-tracker.ts"

/** The transactions that need not be requested, by why: rejected, confirmed, in the orphanage or the mempool. */
export interface SettledTransactions {
  readonly rejects: RollingFilter
  readonly confirmed: RecentlyConfirmed
  readonly orphans: Orphanage
  /** Whether there is no use in requesting it: it is here, was confirmed, or was rejected. */
  readonly isSettled: (name: GenTxid) => boolean
}

export const settledTransactions = (
  { chain, environment: { random } }: Pick<P2pContext, "chain" | "environment">
): SettledTransactions => {
  const rejects = rollingFilter(RELAY_LIMITS.rejects.most, random)
  const confirmed = recentlyConfirmed(random)
  const orphans = orphanage()
  return {
    rejects,
    confirmed,
    orphans,
    isSettled: ({ hash, isWtxid }) => {
      const pool = isWtxid ? chain.poolByWtxid : chain.poolByTxid
      return pool.has(hashKey(hash)) || (isWtxid && orphans.has(hash)) || rejects.has(hash) || confirmed.has(hash)
    }
  }
}
