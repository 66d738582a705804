import { has, highBit, lowBit, nextMember, WIDTH } from "../linearize/bits.ts"
import { settle, unsettle } from "../order/settle.ts"
import { allotCluster, freeCluster, Quality } from "../store/clusters.ts"
import { NONE } from "../store/columns.ts"
import { loadMembers, type Store } from "../store/store.ts"
import { freeTransaction } from "../store/transactions.ts"
import { type Ancestry, arrange } from "./arrange.ts"

/** A set of places of one cluster. */
interface Part {
  readonly low: number
  readonly high: number
}

/** Cuts places of a cluster into connected parts: a transaction is connected to its ancestors. */
const partsOf = (ancestry: Ancestry, low: number, high: number): ReadonlyArray<Part> => {
  let parts: ReadonlyArray<Part> = []
  for (let place = nextMember(low, high, 0); place < WIDTH; place = nextMember(low, high, place + 1)) {
    let grownLow = ancestry.low[place]! & low
    let grownHigh = ancestry.high[place]! & high
    const apart: Array<Part> = []
    for (const part of parts) {
      if ((part.low & grownLow) === 0 && (part.high & grownHigh) === 0) {
        apart.push(part)
        continue
      }
      grownLow |= part.low
      grownHigh |= part.high
    }
    apart.push({ low: grownLow, high: grownHigh })
    parts = apart
  }
  return parts
}

const ancestryOf = ({ members, transactions }: Store, count: number): Ancestry => {
  const low = new Int32Array(count)
  const high = new Int32Array(count)
  for (let place = 0; place < count; place++) {
    low[place] = transactions.columns.ancestorsLow[members[place]!]!
    high[place] = transactions.columns.ancestorsHigh[members[place]!]!
  }
  return { low, high }
}

/** Whether the first so many of the loaded members leave. */
const allLeave = ({ members, transactions: { columns: { leaving } } }: Store, count: number): boolean => {
  for (let place = 0; place < count; place++) if (leaving[members[place]!] === 0) return false
  return true
}

/** Removes what is leaving from an unordered cluster, and makes clusters of the parts that are left. */
const split = (store: Store, cluster: number, isFinal: boolean): void => {
  const { clusters, members, transactions } = store
  const count = loadMembers(store, cluster)
  if (allLeave(store, count)) {
    for (let place = 0; place < count; place++) freeTransaction(transactions, members[place]!)
    freeCluster(clusters, cluster)
    return
  }
  const ancestry = ancestryOf(store, count)
  const places = Array.from({ length: count }, (_, place) => place)
  const txs = places.map((place) => members[place]!)
  let low = 0
  let high = 0
  for (const place of places) {
    if (transactions.columns.leaving[txs[place]!] !== 0) freeTransaction(transactions, txs[place]!)
    else {
      low |= lowBit(place)
      high |= highBit(place)
    }
  }
  const parts = partsOf(ancestry, low, high)
  parts.forEach((part, number) => {
    const own = places.filter((place) => has(part.low, part.high, place))
    const into = number === 0 ? cluster : allotCluster(clusters)
    arrange(store, into, own.map((place) => txs[place]!), own, ancestry)
    clusters.columns.isFinal[into] = isFinal ? 1 : 0
    // Nothing about the order of one is open.
    if (own.length === 1) settle(store, into)
  })
}

/**
 * Whether the first or the last chunks of an optimal order leave, whole. The rest of the order is the best one of the
 * rest, also within each part of it: no other chunk would come first in it.
 */
const leavesByChunks = ({ clusters, transactions }: Store, cluster: number): boolean => {
  const { chunk, leaving, next } = transactions.columns
  if (clusters.columns.quality[cluster] !== Quality.optimal) return false
  let changes = 0
  for (let tx = clusters.columns.first[cluster]!; tx !== NONE; tx = next[tx]!) {
    const after = next[tx]!
    if (after === NONE || leaving[after] === leaving[tx]) continue
    if (chunk[after] === chunk[tx]) return false
    changes++
  }
  return changes === 1
}

/** Removes transactions; each cluster they were in becomes the clusters of what is left of it. */
export const removeTransactions = (store: Store, txs: ReadonlyArray<number>): void => {
  const { cluster: clusterOf, leaving } = store.transactions.columns
  const touched = new Set<number>()
  for (const tx of txs) {
    leaving[tx] = 1
    touched.add(clusterOf[tx]!)
  }
  // All of them first: the order of no chunk may ask for the txid of a transaction that leaves.
  const finals = new Set<number>()
  for (const cluster of touched) {
    if (leavesByChunks(store, cluster)) finals.add(cluster)
    unsettle(store, cluster)
  }
  for (const cluster of touched) split(store, cluster, finals.has(cluster))
}
