import type { Random } from "../environment.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"
import { rollingFilter } from "./rolling-filter.ts"

/** Both ids of a transaction, in wire order. */
export interface TransactionIds {
  readonly txid: Uint8Array
  readonly wtxid: Uint8Array
}

/** Ids of transactions in recent blocks of the active chain. */
export interface RecentlyConfirmed {
  /** By either id. */
  readonly has: (hash: Uint8Array) => boolean
  /** A block that is about to be the tip holds it. */
  readonly add: (ids: TransactionIds) => void
  /** After a reorganization, transactions of disconnected blocks may be wanted again; those of the new ones are not. */
  readonly tipChanged: (isReorganisation: boolean) => void
}

export const recentlyConfirmed = (random: Random): RecentlyConfirmed => {
  const ids = rollingFilter(RELAY_LIMITS.confirmed.most, random)
  /** Of blocks that are not notified as the tip yet. */
  let newest: Array<TransactionIds> = []

  const remember = ({ txid, wtxid }: TransactionIds): void => {
    ids.add(txid)
    ids.add(wtxid)
  }

  return {
    has: ids.has,
    add: (transaction) => {
      newest.push(transaction)
      remember(transaction)
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
