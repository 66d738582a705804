import type { Transaction } from "@lockstep/kernel/model"
import { hexOf } from "../../hex.ts"
import { blockBytes, transactionUsage } from "../txmempool/memory-usage.ts"

/** A transaction of a block that was disconnected. */
export interface DisconnectedTransaction {
  readonly tx: Transaction
  readonly txid: Uint8Array
}

/** Transactions of disconnected blocks, kept until the chain has its new tip. */
export interface DisconnectedTransactions {
  readonly isEmpty: () => boolean
  /**
   * Adds the block below those before it. Returns the transactions that no longer fit: the last confirmed come first,
   * because nothing else depends on them.
   */
  readonly add: (transactions: ReadonlyArray<Transaction>, txids: Uint8Array) => ReadonlyArray<DisconnectedTransaction>
  /** Removes the transactions of a block of the new branch. */
  readonly remove: (txids: Uint8Array) => void
  /** Removes and returns all, in the order in which they were confirmed. */
  readonly takeAll: () => ReadonlyArray<DisconnectedTransaction>
}

/** Bytes that Bitcoin Core counts for each transaction besides: a node of a list and one of a map. */
const NODE_BYTES = 112
/** Bytes of a bucket of that map. It never shrinks, so it has about one for each transaction it ever held. */
const BUCKET_BYTES = 8

/** Maximum size of transactions of disconnected blocks, as Bitcoin Core counts their memory. */
export const MAX_DISCONNECTED_BYTES = 20_000_000

const usageOf = ({ tx }: DisconnectedTransaction): number => transactionUsage(tx) + NODE_BYTES

/** Makes an empty queue with a limit in bytes. */
export const disconnectedTransactions = (limit = MAX_DISCONNECTED_BYTES): DisconnectedTransactions => {
  /** The transaction confirmed last comes first. A map keeps insertion order. */
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
        // A copy, because a view would keep the whole block.
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
