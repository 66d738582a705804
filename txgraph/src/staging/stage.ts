import { type Disjoint, representative, unite } from "../change/disjoint.ts"
import type { Changes } from "../contract.ts"
import { nextMember } from "../linearize/bits.ts"
import { loadMembers, type Store } from "../store/store.ts"

/**
 * A transaction of a cluster after the changes. `parents` are numbers of others in the stage; they include ancestors.
 */
export interface StagedTransaction {
  readonly fee: number
  readonly size: number
  readonly parents: ReadonlyArray<number>
}

/** The clusters that changes touch, as they would become. */
export interface Stage {
  /** Clusters before the changes. */
  readonly touched: ReadonlySet<number>
  /** All transactions of the clusters after the changes, parents first. */
  readonly transactions: ReadonlyArray<StagedTransaction>
  /** The clusters after the changes. */
  readonly clusters: ReadonlyArray<ReadonlyArray<number>>
}

/** Stages the remaining transactions of a cluster. */
const stageRest = (
  store: Store,
  cluster: number,
  isRemoved: ReadonlySet<number>,
  staged: Array<StagedTransaction>,
  numberOf: Map<number, number>
): void => {
  const { members, transactions: { columns } } = store
  const count = loadMembers(store, cluster)
  for (let place = 0; place < count; place++) {
    const tx = members[place]!
    if (isRemoved.has(tx)) continue
    const parents: Array<number> = []
    const low = columns.ancestorsLow[tx]!
    const high = columns.ancestorsHigh[tx]!
    for (let at = nextMember(low, high, 0); at < place; at = nextMember(low, high, at + 1)) {
      const number = numberOf.get(members[at]!)
      if (number !== undefined) parents.push(number)
    }
    numberOf.set(tx, staged.length)
    staged.push({ fee: columns.fee[tx]!, size: columns.size[tx]!, parents })
  }
}

const connectedSets = (staged: ReadonlyArray<StagedTransaction>): ReadonlyArray<ReadonlyArray<number>> => {
  const sets: Disjoint = staged.map((_, number) => number)
  staged.forEach(({ parents }, number) => parents.forEach((parent) => unite(sets, parent, number)))
  const clusters = new Map<number, Array<number>>()
  staged.forEach((_, number) => {
    const set = representative(sets, number)
    const cluster = clusters.get(set)
    if (cluster === undefined) clusters.set(set, [number])
    else cluster.push(number)
  })
  return [...clusters.values()]
}

/** Stages changes of the graph. */
export const stage = (store: Store, { additions, removals }: Changes): Stage => {
  const { cluster: clusterOf } = store.transactions.columns
  const touched = new Set(removals.map((tx) => clusterOf[tx]!))
  for (const { parents } of additions) for (const parent of parents) touched.add(clusterOf[parent]!)
  const isRemoved = new Set(removals)
  const transactions: Array<StagedTransaction> = []
  const numberOf = new Map<number, number>()
  for (const cluster of touched) stageRest(store, cluster, isRemoved, transactions, numberOf)
  const first = transactions.length
  for (const { fee, newParents = [], parents, size } of additions) {
    const own = parents.flatMap((parent) => numberOf.get(parent) ?? [])
    transactions.push({ fee, size, parents: [...own, ...newParents.map((number) => first + number)] })
  }
  return { touched, transactions, clusters: connectedSets(transactions) }
}

/** Reports whether the clusters of a stage are within the limits. */
export const stageFits = ({ limits }: Store, { clusters, transactions }: Stage): boolean =>
  clusters.every((cluster) =>
    cluster.length <= limits.transactions &&
    cluster.reduce((sum, number) => sum + transactions[number]!.size, 0) <= limits.size
  )

/** Reports whether a single transaction fits with the clusters of its parents; the common case of {@link stageFits}. */
export const hasRoomFor = (store: Store, size: number, parents: ReadonlyArray<number>): boolean => {
  const { clusters: { columns }, limits, transactions } = store
  const { cluster: clusterOf } = transactions.columns
  let count = 1
  let total = size
  const clusters = parents.length === 1 ? [clusterOf[parents[0]!]!] : new Set(parents.map((tx) => clusterOf[tx]!))
  for (const cluster of clusters) {
    count += columns.count[cluster]!
    total += columns.size[cluster]!
  }
  return count <= limits.transactions && total <= limits.size
}
