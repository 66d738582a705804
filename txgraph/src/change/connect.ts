import type { Dependency } from "../contract.ts"
import { has, memberCount } from "../linearize/bits.ts"
import { loadMembers, type Store } from "../store/store.ts"
import { clusterOfAll } from "./add.ts"
import { arrange } from "./arrange.ts"
import { type Disjoint, representative, unite } from "./disjoint.ts"
import { removeTransactions } from "./remove.ts"
import { trimmed } from "./trim.ts"

/** Clusters to be joined by dependencies, and those dependencies. */
interface Joint {
  readonly clusters: Array<number>
  readonly dependencies: Array<Dependency>
}

const jointsOf = ({ transactions }: Store, dependencies: ReadonlyArray<Dependency>): ReadonlyArray<Joint> => {
  const { cluster: clusterOf } = transactions.columns
  const clusters = [...new Set(dependencies.flatMap(({ child, parent }) => [clusterOf[parent]!, clusterOf[child]!]))]
  const numberOf = new Map(clusters.map((cluster, number) => [cluster, number]))
  const sets: Disjoint = clusters.map((_, number) => number)
  const numberAt = (tx: number): number => numberOf.get(clusterOf[tx]!)!
  for (const { child, parent } of dependencies) unite(sets, numberAt(parent), numberAt(child))
  const joints = new Map<number, Joint>()
  clusters.forEach((cluster, number) => {
    const set = representative(sets, number)
    const joint = joints.get(set) ?? { clusters: [], dependencies: [] }
    joints.set(set, joint)
    joint.clusters.push(cluster)
  })
  for (const each of dependencies) joints.get(representative(sets, numberAt(each.parent)))!.dependencies.push(each)
  return [...joints.values()]
}

const isWithinLimits = ({ clusters: { columns }, limits }: Store, { clusters }: Joint): boolean =>
  clusters.reduce((sum, cluster) => sum + columns.count[cluster]!, 0) <= limits.transactions &&
  clusters.reduce((sum, cluster) => sum + columns.size[cluster]!, 0) <= limits.size

/** Makes ancestors transitive. */
const close = (low: Int32Array, high: Int32Array): void => {
  for (let via = 0; via < low.length; via++) {
    for (let tx = 0; tx < low.length; tx++) {
      if (!has(low[tx]!, high[tx]!, via)) continue
      low[tx]! |= low[via]!
      high[tx]! |= high[via]!
    }
  }
}

/** Joins clusters that together are within the limits. */
const join = (store: Store, { dependencies }: Joint): void => {
  const { members, transactions } = store
  const { ancestorsHigh, ancestorsLow, place } = transactions.columns
  const cluster = clusterOfAll(store, dependencies.flatMap(({ child, parent }) => [parent, child]))
  const count = loadMembers(store, cluster)
  const txs = Array.from(members.subarray(0, count))
  const low = Int32Array.from(txs, (tx) => ancestorsLow[tx]!)
  const high = Int32Array.from(txs, (tx) => ancestorsHigh[tx]!)
  for (const { child, parent } of dependencies) {
    low[place[child]!]! |= ancestorsLow[parent]!
    high[place[child]!]! |= ancestorsHigh[parent]!
  }
  close(low, high)
  // A descendant has more ancestors than any of its ancestors.
  const numbers = txs.map((_, number) => number)
    .sort((a, b) => memberCount(low[a]!, high[a]!) - memberCount(low[b]!, high[b]!) || a - b)
  arrange(store, cluster, numbers.map((number) => txs[number]!), numbers, { low, high })
}

/** Adds dependencies. Returns the transactions that were removed so that every cluster is within the limits. */
export const connectTransactions = (
  store: Store,
  dependencies: ReadonlyArray<Dependency>
): ReadonlyArray<number> => {
  const tooLarge = jointsOf(store, dependencies).filter((joint) => !isWithinLimits(store, joint))
  const dropped = tooLarge.flatMap((joint) => trimmed(store, joint.clusters, joint.dependencies))
  removeTransactions(store, dropped)
  const gone = new Set(dropped)
  const left = dependencies.filter(({ child, parent }) => !gone.has(parent) && !gone.has(child))
  for (const joint of jointsOf(store, left)) join(store, joint)
  return dropped
}
