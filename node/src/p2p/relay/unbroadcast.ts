import type { MempoolTransaction } from "../chain/p2p-chain.ts"
import type { Random } from "../environment.ts"
import { hashKey } from "../sync/hash-key.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"

/**
 * This node's own transactions that no peer has requested yet, so that no peer may have them. They are announced again
 * from time to time, to the peers that are connected then.
 */
export interface Unbroadcast {
  readonly add: (transaction: MempoolTransaction) => void
  /** A peer requested it, or it left the mempool. */
  readonly remove: (transaction: MempoolTransaction) => void
  /** Announces all of them when it is time to. */
  readonly tick: (now: number, notify: (transaction: MempoolTransaction) => void) => void
}

export const unbroadcast = (random: Random): Unbroadcast => {
  /** Oldest first. */
  const waiting = new Map<string, MempoolTransaction>()
  let next: number | undefined

  const nextAfter = (now: number): number =>
    now + RELAY_LIMITS.rebroadcast.most + random.below(RELAY_LIMITS.rebroadcastSpread.most)

  return {
    add: (transaction) => {
      waiting.set(hashKey(transaction.txid), transaction)
      const [oldest] = waiting.keys()
      if (waiting.size > RELAY_LIMITS.unbroadcast.most) waiting.delete(oldest!)
    },
    remove: ({ txid }) => void waiting.delete(hashKey(txid)),
    tick: (now, notify) => {
      next ??= nextAfter(now)
      if (now < next) return
      next = nextAfter(now)
      for (const transaction of waiting.values()) notify(transaction)
    }
  }
}
