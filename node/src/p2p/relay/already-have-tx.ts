import type { P2pContext } from "../peer/p2p-context.ts"
import { type Orphanage, orphanage } from "./orphanage/orphanage.ts"
import { type RecentlyConfirmed, recentlyConfirmed } from "./recently-confirmed.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"
import { type RollingFilter, rollingFilter } from "./rolling-filter.ts"
import type { GenTxid } from "./tx-request-tracker.ts"

/** The transactions that need not be requested, by reason: rejected, confirmed, in the orphanage or in the mempool. */
export interface SeenTransactions {
  /** Transactions that were rejected in any context: wtxids, and txids if no other witness can help. */
  readonly rejects: RollingFilter
  /** Wtxids of transactions that pay too little alone, and hashes of rejected packages. */
  readonly reconsiderable: RollingFilter
  readonly confirmed: RecentlyConfirmed
  readonly orphans: Orphanage
  /**
   * True if the transaction is not needed: it is in the mempool or orphanage, was confirmed, or was rejected for good.
   */
  readonly alreadyHaveTx: (name: GenTxid) => boolean
  /** True if an announced transaction is not worth a request: it is not needed, or it pays too little alone. */
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
  // The orphanage has only wtxids. A transaction without a witness is found even if its txid was announced.
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
