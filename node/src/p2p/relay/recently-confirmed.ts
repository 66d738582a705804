import type { ConfirmedTransactions } from "../chain/p2p-chain.ts"
import type { Random } from "../basics/environment.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"
import { rollingFilter } from "./rolling-filter.ts"

/** Ids of transactions in recent blocks of the active chain. */
export interface RecentlyConfirmed {
  /** By either id. */
  readonly has: (hash: Uint8Array) => boolean
  /** A block that is about to be the tip holds these. */
  readonly add: (transactions: ConfirmedTransactions) => void
  /** After a reorganization, transactions of disconnected blocks may be wanted again; those of the new ones are not. */
  readonly tipChanged: (isReorganisation: boolean) => void
}

export const recentlyConfirmed = (random: Random): RecentlyConfirmed => {
  const ids = rollingFilter(RELAY_LIMITS.confirmed.most, random)
  /** Of blocks that are not notified as the tip yet. */
  let newest: Array<ConfirmedTransactions> = []

  const remember = ({ txids, wtxids }: ConfirmedTransactions): void => {
    for (let at = 0; at < txids.length; at += 32) {
      ids.add(txids.subarray(at, at + 32))
      // One without witness has one id.
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
