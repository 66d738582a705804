import type { Dependency } from "../contract.ts"
import { compareFeerates } from "../feerate/compare.ts"
import { settle } from "../order/settle.ts"
import { loadMembers, type Store } from "../store/store.ts"
import { type Disjoint, representative, unite } from "./disjoint.ts"

/** Transactions of the clusters that new dependencies would join, with the predecessors of each. */
interface Candidates {
  readonly txs: ReadonlyArray<number>
  /** Predecessors: the one in the old cluster, and new parents. */
  readonly before: ReadonlyArray<Array<number>>
  readonly behind: ReadonlyArray<Array<number>>
}

const candidatesOf = (
  store: Store,
  clusters: ReadonlyArray<number>,
  dependencies: ReadonlyArray<Dependency>
): Candidates => {
  const txs: Array<number> = []
  const before: Array<Array<number>> = []
  for (const cluster of clusters) {
    settle(store, cluster)
    const count = loadMembers(store, cluster)
    for (let place = 0; place < count; place++) {
      before.push(place === 0 ? [] : [txs.length - 1])
      txs.push(store.members[place]!)
    }
  }
  const numberOf = new Map(txs.map((tx, number) => [tx, number]))
  for (const { child, parent } of dependencies) before[numberOf.get(child)!]!.push(numberOf.get(parent)!)
  const behind = txs.map((): Array<number> => [])
  before.forEach((numbers, number) => numbers.forEach((each) => behind[each]!.push(number)))
  return { txs, before, behind }
}

/** Compares two transactions by the feerate of their old chunks, then by the size of the chunk, then by txid. */
const compareOldChunks = ({ chunks, compareIds, transactions }: Store, a: number, b: number): number => {
  const { fee, size } = chunks.columns
  const first = transactions.columns.chunk[a]!
  const second = transactions.columns.chunk[b]!
  return compareFeerates(fee[second]!, size[second]!, fee[first]!, size[first]!) ||
    size[first]! - size[second]! ||
    compareIds(a, b)
}

/** Inserts a rank into a descending list. */
const insert = (list: Array<number>, rank: number): void => {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (list[middle]! > rank) low = middle + 1
    else high = middle
  }
  list.splice(low, 0, rank)
}

/**
 * Selects the transactions to be removed so that the clusters, joined by the dependencies, stay within the limits.
 * Takes the best transaction whose predecessors are kept, and keeps it if the resulting cluster is within the limits.
 */
export const trimmed = (
  store: Store,
  clusters: ReadonlyArray<number>,
  dependencies: ReadonlyArray<Dependency>
): ReadonlyArray<number> => {
  const { limits, transactions } = store
  const { before, behind, txs } = candidatesOf(store, clusters, dependencies)
  const byRank = txs.map((_, number) => number).sort((a, b) => compareOldChunks(store, txs[a]!, txs[b]!))
  const rankOf = new Int32Array(txs.length)
  byRank.forEach((number, rank) => (rankOf[number] = rank))
  const waits = before.map(({ length }) => length)
  const sets: Disjoint = txs.map((_, number) => number)
  const counts = txs.map(() => 1)
  const sizes = txs.map((tx) => transactions.columns.size[tx]!)
  const isKept = new Uint8Array(txs.length)
  const ready: Array<number> = []
  waits.forEach((wait, number) => wait === 0 && insert(ready, rankOf[number]!))
  for (let rank = ready.pop(); rank !== undefined; rank = ready.pop()) {
    const number = byRank[rank]!
    const joined = [...new Set([number, ...before[number]!].map((each) => representative(sets, each)))]
    const count = joined.reduce((sum, set) => sum + counts[set]!, 0)
    const size = joined.reduce((sum, set) => sum + sizes[set]!, 0)
    if (count > limits.transactions || size > limits.size) continue
    const set = joined.reduce((a, b) => unite(sets, a, b))
    counts[set] = count
    sizes[set] = size
    isKept[number] = 1
    for (const each of behind[number]!) {
      waits[each]!--
      if (waits[each] === 0) insert(ready, rankOf[each]!)
    }
  }
  return txs.filter((_, number) => isKept[number] === 0)
}
