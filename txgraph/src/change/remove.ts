import { has, highBit, lowBit, nextMember, WIDTH } from "../linearize/bits.ts"
import { settle, unsettle } from "../order/settle.ts"
import { allotCluster, freeCluster, Quality } from "../store/clusters.ts"
import { NONE } from "../store/columns.ts"
import { loadMembers, type Store } from "../store/store.ts"
import { freeTransaction } from "../store/transactions.ts"
import { type Ancestry, arrange } from "./arrange.ts"

/** A set of positions of one cluster. */
interface Part {
  readonly low: number
  readonly high: number
}

/** Splits positions of a cluster into connected components. A transaction is connected to its ancestors. */
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

/** Reports whether the first `count` of the loaded members are being removed. */
const allLeave = ({ members, transactions: { columns: { leaving } } }: Store, count: number): boolean => {
  for (let place = 0; place < count; place++) if (leaving[members[place]!] === 0) return false
  return true
}

/** Removes transactions from an unordered cluster, and makes clusters of its remaining components. */
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
    // A single transaction has only one order.
    if (own.length === 1) settle(store, into)
  })
}

/**
 * Reports whether only complete chunks at the start or the end of an optimal order are being removed. Then the rest of
 * the order is optimal for the rest, also within each component: no other chunk would come first in it.
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

/** Removes transactions. The rest of each cluster is split into its components. */
export const removeTransactions = (store: Store, txs: ReadonlyArray<number>): void => {
  const { cluster: clusterOf, leaving } = store.transactions.columns
  const touched = new Set<number>()
  for (const tx of txs) {
    leaving[tx] = 1
    touched.add(clusterOf[tx]!)
  }
  // All are unsettled first, since ordering a chunk must not compare the txid of a removed transaction.
  const finals = new Set<number>()
  for (const cluster of touched) {
    if (leavesByChunks(store, cluster)) finals.add(cluster)
    unsettle(store, cluster)
  }
  for (const cluster of touched) split(store, cluster, finals.has(cluster))
}
