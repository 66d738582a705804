import type { ConfirmedTransactions } from "../chain/p2p-chain.ts"
import type { Random } from "../basics/environment.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"
import { rollingFilter } from "./rolling-filter.ts"

/** Ids of transactions in recent blocks of the active chain. */
export interface RecentlyConfirmed {
  /** Looks up a txid or wtxid. */
  readonly has: (hash: Uint8Array) => boolean
  /** Adds the transactions of a block that is about to become the tip. */
  readonly add: (transactions: ConfirmedTransactions) => void
  /**
   * Processes a new tip. After a reorganization all blocks but the new ones are forgotten, as transactions of
   * disconnected blocks may be wanted again.
   */
  readonly tipChanged: (isReorganisation: boolean) => void
}

export const recentlyConfirmed = (random: Random): RecentlyConfirmed => {
  const ids = rollingFilter(RELAY_LIMITS.confirmed.most, random)
  /** Transactions of blocks that are not reported as the tip yet. */
  let newest: Array<ConfirmedTransactions> = []

  const remember = ({ txids, wtxids }: ConfirmedTransactions): void => {
    for (let at = 0; at < txids.length; at += 32) {
      ids.add(txids.subarray(at, at + 32))
      // Without a witness, both ids are the same.
      ids.add(wtxids.subarray(at, at + 32))
    }
  }

  return {
    has: ids.has,
    add: (transactions) => {
      newest.push(transactions)
      remember(transactions)
    },
    tipChanged: (isReorganisation) => {
      if (isReorganisation) {
        ids.clear()
        for (const each of newest) remember(each)
      }
      newest = []
    }
  }
}
