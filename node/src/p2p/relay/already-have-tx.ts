import type { P2pContext } from "../peer/p2p-context.ts"
import { type Orphanage, orphanage } from "./orphanage/orphanage.ts"
import { type RecentlyConfirmed, recentlyConfirmed } from "./recently-confirmed.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"
import { type RollingFilter, rollingFilter } from "./rolling-filter.ts"
import type { GenTxid } from "./tx-request-tracker.ts"

/** The transactions that need not be requested, by why: rejected, confirmed, in the orphanage or the mempool. */
export interface SeenTransactions {
  /** Whatever they come with. Wtxids, and txids where no witness helps. */
  readonly rejects: RollingFilter
  /** Wtxids of those that pay too little by themselves, and hashes of packages that were rejected. */
  readonly reconsiderable: RollingFilter
  readonly confirmed: RecentlyConfirmed
  readonly orphans: Orphanage
  /** Whether there is no use in its coming at all: it is here, was confirmed, or was rejected for good. */
  readonly alreadyHaveTx: (name: GenTxid) => boolean
  /** Whether there is no use in requesting it because it was announced: the same, or it pays too little by itself. */
  readonly isUnwanted: (name: GenTxid) => boolean
}

export const seenTransactions = (
  { chain: { mempool }, environment: { random }, notify }:
    & Pick<P2pContext, "chain" | "environment">
    & { readonly notify?: Pick<P2pContext["notify"], "trace"> }
): SeenTransactions => {
  const rejects = rollingFilter(RELAY_LIMITS.rejects.most, random)
  const reconsiderable = rollingFilter(RELAY_LIMITS.rejects.most, random)
  const confirmed = recentlyConfirmed(random)
  const orphans = orphanage(random, notify?.trace)
  // The orphanage has wtxids alone. A transaction without witness goes by one as well when its txid was announced.
  const alreadyHaveTx = ({ hash, isWtxid }: GenTxid): boolean =>
    orphans.has(hash) || confirmed.has(hash) || rejects.has(hash) || mempool.has(isWtxid ? "wtxid" : "txid", hash)
  return {
    rejects,
    reconsiderable,
    confirmed,
    orphans,
    alreadyHaveTx,
    isUnwanted: (name) => reconsiderable.has(name.hash) || alreadyHaveTx(name)
  }
}
