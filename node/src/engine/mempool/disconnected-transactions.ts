import type { Transaction } from "@lockstep/kernel/model"
import { hexOf } from "../../hex.ts"
import { blockBytes, transactionUsage } from "../txmempool/memory-usage.ts"

/** A transaction of a block that was disconnected. */
export interface DisconnectedTransaction {
  readonly tx: Transaction
  readonly txid: Uint8Array
}

/** Transactions of disconnected blocks until the chain has its new tip. */
export interface DisconnectedTransactions {
  readonly isEmpty: () => boolean
  /**
   * The next block below those before it. Answers what no longer fits: what was confirmed last goes first, as nothing
   * else depends on it.
   */
  readonly add: (transactions: ReadonlyArray<Transaction>, txids: Uint8Array) => ReadonlyArray<DisconnectedTransaction>
  /** A block of the new branch has these. */
  readonly remove: (txids: Uint8Array) => void
  /** Takes all of them out, in the order in which they were confirmed. */
  readonly takeAll: () => ReadonlyArray<DisconnectedTransaction>
}

/** What Bitcoin Core counts for each transaction besides: a node of a list and one of a map. */
const NODE_BYTES = 112
/** Of a bucket of that map, which has about as many as it has had transactions: it does not shrink. */
const BUCKET_BYTES = 8

/** Room for transactions of disconnected blocks, as they take it in Bitcoin Core's memory. */
export const MAX_DISCONNECTED_BYTES = 20_000_000

const usageOf = ({ tx }: DisconnectedTransaction): number => transactionUsage(tx) + NODE_BYTES

/** An empty queue that takes up to `limit` bytes. */
export const disconnectedTransactions = (limit = MAX_DISCONNECTED_BYTES): DisconnectedTransactions => {
  /** The last that was confirmed comes first. A map keeps the order in which keys were set. */
  const queue = new Map<string, DisconnectedTransaction>()
  let usage = 0
  let buckets = 0

  const drop = (key: string, held: DisconnectedTransaction): void => {
    queue.delete(key)
    usage -= usageOf(held)
  }

  return {
    isEmpty: () => queue.size === 0,
    add: (transactions, txids) => {
      for (let i = transactions.length - 1; i >= 0; i--) {
        // A copy: a part of the block would keep all of it.
        const txid = txids.slice(i * 32, i * 32 + 32)
        const held = { tx: transactions[i]!, txid }
        queue.set(hexOf(txid), held)
        usage += usageOf(held)
      }
      buckets = Math.max(buckets, queue.size)
      const room = limit - blockBytes(BUCKET_BYTES * buckets)
      const evicted: Array<DisconnectedTransaction> = []
      for (const [key, held] of queue) {
        if (usage <= room) break
        drop(key, held)
        evicted.push(held)
      }
      return evicted
    },
    remove: (txids) => {
      if (queue.size === 0) return
      for (let at = 0; at < txids.length; at += 32) {
        const key = hexOf(txids.subarray(at, at + 32))
        const held = queue.get(key)
        if (held !== undefined) drop(key, held)
      }
    },
    takeAll: () => {
      const all = [...queue.values()].reverse()
      queue.clear()
      usage = 0
      buckets = 0
      return all
    }
  }
}
