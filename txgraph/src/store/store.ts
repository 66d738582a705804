import { type ClusterLimits, type TxHandle } from "../contract.ts"
import { emptyLinearizer, type Linearizer } from "../linearize/linearize.ts"
import { type Chunks, noChunks } from "./chunks.ts"
import { type Clusters, noClusters } from "./clusters.ts"
import { noTransactions, type Transactions } from "./transactions.ts"

/** State of a graph. */
export interface Store {
  readonly limits: ClusterLimits
  readonly compareIds: (a: TxHandle, b: TxHandle) => number
  readonly transactions: Transactions
  readonly clusters: Clusters
  readonly chunks: Chunks
  readonly linearizer: Linearizer
  /** Transactions of the cluster that is being processed, by position. */
  readonly members: Int32Array
}

export const emptyStore = (limits: ClusterLimits, compareIds: Store["compareIds"]): Store => ({
  limits,
  compareIds,
  transactions: noTransactions(),
  clusters: noClusters(),
  chunks: noChunks(),
  linearizer: emptyLinearizer(),
  members: new Int32Array(64)
})

/** Writes the transactions of a cluster to `members`, in its order. Returns their number. */
export const loadMembers = ({ clusters, members, transactions }: Store, cluster: number): number => {
  const { next } = transactions.columns
  const count = clusters.columns.count[cluster]!
  let tx = clusters.columns.first[cluster]!
  for (let place = 0; place < count; place++) {
    members[place] = tx
    tx = next[tx]!
  }
  return count
}
