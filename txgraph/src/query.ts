import type { Chunk, ChunkHandle, TxHandle } from "./contract.ts"
import { has, highBit, lowBit } from "./linearize/bits.ts"
import { settle, settleAll } from "./order/settle.ts"
import { NONE } from "./store/columns.ts"
import type { Store } from "./store/store.ts"

/** Groups transactions by cluster. */
const byCluster = ({ transactions }: Store, txs: ReadonlyArray<TxHandle>): Map<number, ReadonlyArray<TxHandle>> => {
  const { cluster } = transactions.columns
  if (txs.length === 1) return new Map([[cluster[txs[0]!]!, txs]])
  const found = new Map<number, Array<TxHandle>>()
  for (const tx of txs) {
    const others = found.get(cluster[tx]!)
    if (others === undefined) found.set(cluster[tx]!, [tx])
    else others.push(tx)
  }
  return found
}

/** Returns the ancestors of these transactions, themselves included. */
export const ancestorsOf = (store: Store, txs: ReadonlyArray<TxHandle>): ReadonlyArray<TxHandle> => {
  const { clusters, transactions } = store
  const { ancestorsHigh, ancestorsLow, next, place } = transactions.columns
  const found: Array<TxHandle> = []
  for (const [cluster, own] of byCluster(store, txs)) {
    let low = 0
    let high = 0
    for (const tx of own) {
      low |= ancestorsLow[tx]!
      high |= ancestorsHigh[tx]!
    }
    for (let tx = clusters.columns.first[cluster]!; tx !== NONE; tx = next[tx]!) {
      if (has(low, high, place[tx]!)) found.push(tx)
    }
  }
  return found
}

/** Returns the descendants of these transactions, themselves included. */
export const descendantsOf = (store: Store, txs: ReadonlyArray<TxHandle>): ReadonlyArray<TxHandle> => {
  const { clusters, transactions } = store
  const { ancestorsHigh, ancestorsLow, next, place } = transactions.columns
  const found: Array<TxHandle> = []
  for (const [cluster, own] of byCluster(store, txs)) {
    let low = 0
    let high = 0
    for (const tx of own) {
      low |= lowBit(place[tx]!)
      high |= highBit(place[tx]!)
    }
    for (let tx = clusters.columns.first[cluster]!; tx !== NONE; tx = next[tx]!) {
      if (((ancestorsLow[tx]! & low) | (ancestorsHigh[tx]! & high)) !== 0) found.push(tx)
    }
  }
  return found
}

/** Returns a chunk of an ordered cluster. */
export const readChunk = ({ chunks, transactions }: Store, chunk: ChunkHandle): Chunk => {
  const { fee, size, start, transactions: counts } = chunks.columns
  const txs: Array<TxHandle> = []
  for (let tx = start[chunk]!; txs.length < counts[chunk]!; tx = transactions.columns.next[tx]!) txs.push(tx)
  return { fee: fee[chunk]!, size: size[chunk]!, transactions: txs }
}

/** Returns the chunks of a cluster in its order. */
export const clusterChunks = (store: Store, cluster: number): ReadonlyArray<Chunk> => {
  settle(store, cluster)
  const { chunk, next } = store.transactions.columns
  const found: Array<Chunk> = []
  for (let tx = store.clusters.columns.first[cluster]!; tx !== NONE;) {
    const each = readChunk(store, chunk[tx]!)
    found.push(each)
    tx = next[each.transactions.at(-1)!]!
  }
  return found
}

/** Returns all transactions in mining order. */
export const transactionsInOrder = (store: Store): Uint32Array => {
  settleAll(store)
  const { chunks, transactions } = store
  const order = new Uint32Array(transactions.count)
  let end = 0
  for (let chunk = chunks.first; chunk !== NONE; chunk = chunks.columns.next[chunk]!) {
    let tx = chunks.columns.start[chunk]!
    for (let left = chunks.columns.transactions[chunk]!; left > 0; left--) {
      order[end++] = tx
      tx = transactions.columns.next[tx]!
    }
  }
  return order
}
