import type { Chance } from "../environment.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"
import { rollingSet } from "./rolling-set.ts"

/** Both ids of a transaction, in wire order. */
export interface TransactionIds {
  readonly txid: Uint8Array
  readonly wtxid: Uint8Array
}

/** Ids of transactions that blocks of the active chain hold, as far as they came lately. */
export interface RecentlyConfirmed {
  /** By either id. */
  readonly has: (hash: Uint8Array) => boolean
  /** A block that is about to be the tip holds it. */
  readonly add: (ids: TransactionIds) => void
  /** After a reorganisation what older blocks held may be wanted again; what the new ones hold is not. */
  readonly tipChanged: (isReorganisation: boolean) => void
}

export const recentlyConfirmed = (chance: Chance): RecentlyConfirmed => {
  const ids = rollingSet(RELAY_LIMITS.confirmed.most, chance)
  /** Of blocks that are not told of as the tip yet. */
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
