import type { PoolTransaction } from "../chain/p2p-chain.ts"
import type { Chance } from "../environment.ts"
import { hashKey } from "../sync/hash-key.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"

/**
 * Transactions of this node itself that no peer has asked for yet: nobody may have heard of them. From time to time they are
 * told again, to whoever came since.
 */
export interface Unbroadcast {
  readonly add: (transaction: PoolTransaction) => void
  /** A peer asked for it, or it left the pool. */
  readonly remove: (transaction: PoolTransaction) => void
  /** Has all of them told when it is time to. */
  readonly tick: (now: number, tell: (transaction: PoolTransaction) => void) => void
}

export const unbroadcast = (chance: Chance): Unbroadcast => {
  /** Oldest first. */
  const waiting = new Map<string, PoolTransaction>()
  let next: number | undefined

  const nextAfter = (now: number): number =>
    now + RELAY_LIMITS.rebroadcast.most + chance.below(RELAY_LIMITS.rebroadcastSpread.most)

  return {
    add: (transaction) => {
      waiting.set(hashKey(transaction.txid), transaction)
      const [oldest] = waiting.keys()
      if (waiting.size > RELAY_LIMITS.unbroadcast.most) waiting.delete(oldest!)
    },
    remove: ({ txid }) => void waiting.delete(hashKey(txid)),
    tick: (now, tell) => {
      next ??= nextAfter(now)
      if (now < next) return
      next = nextAfter(now)
      for (const transaction of waiting.values()) tell(transaction)
    }
  }
}
