import { type Dependency, POST_CHANGE_BUDGET, type TxHandle } from "@lockstep/txgraph"
import type { Removed } from "./contract.ts"
import { hashAt } from "./entry-columns.ts"
import { compact, unlink } from "./link.ts"
import { removeWithDescendants, spendersOf } from "./remove.ts"
import { inRawOrder, type MempoolState, transactionIn } from "./state.ts"

/** The dependencies that the graph lacks between a returned transaction and the entries that spend it. */
const missingDependencies = (state: MempoolState, parent: TxHandle): ReadonlyArray<Dependency> => {
  const txid = hashAt(state.columns.txids, parent)
  return spendersOf(state, transactionIn(state, parent), txid)
    .filter((child) => !state.graph.ancestors([child]).includes(parent))
    .map((child) => ({ parent, child }))
}

/** Connects returned transactions with the entries that spend them. Removes the entries that the cluster limits cut off. */
export const connectReturned = (state: MempoolState, returned: ReadonlyArray<TxHandle>): ReadonlyArray<Removed> => {
  const present = returned.filter((tx) => state.columns.isPresent[tx] === 1)
  const dependencies = present.flatMap((tx) => missingDependencies(state, tx))
  const cut = inRawOrder(state, state.graph.connect(dependencies))
  const removed = cut.map((tx) => unlink(state, tx, "sizelimit"))
  compact(state)
  return removed
}

/** Removes the entries that a reorganization has made invalid, with descendants. */
export const filter = (state: MempoolState, isInvalid: (tx: TxHandle) => boolean): ReadonlyArray<Removed> => {
  const { columns, graph } = state
  const invalid: Array<TxHandle> = []
  for (let tx = 0; tx < columns.length; tx++) if (columns.isPresent[tx] === 1 && isInvalid(tx)) invalid.push(tx)
  const removed = removeWithDescendants(state, invalid, "reorg")
  graph.work(POST_CHANGE_BUDGET)
  return removed
}
