import { highBit, lowBit, raisedHigh, raisedLow } from "../linearize/bits.ts"
import { unsettle } from "../order/settle.ts"
import { allotCluster, freeCluster, setExtent } from "../store/clusters.ts"
import { NONE } from "../store/columns.ts"
import type { Store } from "../store/store.ts"
import { allotTransaction } from "../store/transactions.ts"

/** Maximum magnitude of a transaction's fee in satoshi: all the money there can be. */
const MAX_FEE = 21e14

/** Clamps a fee to the range that the graph accepts. */
export const clampedFee = (fee: number): number => Math.max(-MAX_FEE, Math.min(MAX_FEE, fee))

/** Appends the transactions of `other` to those of `cluster`. Both must be unordered. */
const absorb = ({ clusters, transactions }: Store, cluster: number, other: number): void => {
  const { count, first, last, size } = clusters.columns
  const { ancestorsHigh, ancestorsLow, cluster: clusterOf, next, place } = transactions.columns
  const by = count[cluster]!
  for (let tx = first[other]!; tx !== NONE; tx = next[tx]!) {
    const low = ancestorsLow[tx]!
    ancestorsLow[tx] = raisedLow(low, by)
    ancestorsHigh[tx] = raisedHigh(low, ancestorsHigh[tx]!, by)
    place[tx]! += by
    clusterOf[tx] = cluster
  }
  next[last[cluster]!] = first[other]!
  last[cluster] = last[other]!
  setExtent(clusters, cluster, by + count[other]!, size[cluster]! + size[other]!)
  freeCluster(clusters, other)
}

/** Merges the clusters of these transactions into an unordered one. Without transactions, creates a new cluster. */
export const clusterOfAll = (store: Store, txs: ReadonlyArray<number>): number => {
  const { clusters, transactions } = store
  const { cluster: clusterOf } = transactions.columns
  if (txs.length === 0) return allotCluster(clusters)
  let cluster = clusterOf[txs[0]!]!
  for (const tx of txs) {
    const other = clusterOf[tx]!
    if (clusters.columns.count[other]! > clusters.columns.count[cluster]!) cluster = other
  }
  unsettle(store, cluster)
  for (const tx of txs) {
    const other = clusterOf[tx]!
    if (other === cluster) continue
    unsettle(store, other)
    absorb(store, cluster, other)
  }
  return cluster
}

/** Adds a transaction after its parents. Their clusters together must have room for it. */
export const addTransaction = (store: Store, fee: number, size: number, parents: ReadonlyArray<number>): number => {
  const { clusters, transactions } = store
  const cluster = clusterOfAll(store, parents)
  const tx = allotTransaction(transactions)
  const { columns } = transactions
  const { columns: { count, first, last, size: sizes } } = clusters
  const place = count[cluster]!
  let low = lowBit(place)
  let high = highBit(place)
  for (const parent of parents) {
    low |= columns.ancestorsLow[parent]!
    high |= columns.ancestorsHigh[parent]!
  }
  columns.fee[tx] = clampedFee(fee)
  columns.size[tx] = size
  columns.cluster[tx] = cluster
  columns.place[tx] = place
  columns.ancestorsLow[tx] = low
  columns.ancestorsHigh[tx] = high
  columns.leaving[tx] = 0
  columns.next[tx] = NONE
  if (place === 0) first[cluster] = tx
  else columns.next[last[cluster]!] = tx
  last[cluster] = tx
  setExtent(clusters, cluster, place + 1, sizes[cluster]! + size)
  return tx
}
