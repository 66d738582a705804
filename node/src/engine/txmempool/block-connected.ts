import type { UnixSeconds } from "@lockstep/kernel/quantities"
import type { Transaction } from "@lockstep/kernel/model"
import { POST_CHANGE_BUDGET, type TxHandle } from "@lockstep/txgraph"
import { hexOf } from "../../hex.ts"
import { sharedCopies } from "../options/shared-copies.ts"
import type { Removed } from "./contract.ts"
import { hashAt } from "./entry-columns.ts"
import { findId } from "./id-index.ts"
import { compact, unlink } from "./link.ts"
import { blockLowersMinimum } from "./rolling-minimum.ts"
import { spenderOf } from "./spent-index.ts"
import { inRawOrder, type MempoolState } from "./state.ts"

/** Unlinks the entries that conflict with a confirmed transaction, with their descendants. */
const unlinkConflicts = (
  state: MempoolState,
  { inputs }: Transaction,
  leaving: Array<TxHandle>,
  removed: Array<Removed>
): void => {
  const { columns, deltas, graph, spent } = state
  for (const { prevout } of inputs) {
    const conflict = spenderOf(spent, prevout)
    if (conflict === undefined) continue
    deltas.delete(hexOf(hashAt(columns.txids, conflict)))
    const descendants = graph.descendants([conflict]).filter((tx) => columns.isPresent[tx] === 1)
    for (const tx of inRawOrder(state, descendants)) {
      removed.push(unlink(state, tx, "conflict"))
      leaving.push(tx)
    }
  }
}

/** Handles a block that became the tip. The graph gets all removals at once, so that its clusters are cut a single time. */
export const blockConnected = (
  state: MempoolState,
  transactions: ReadonlyArray<Transaction>,
  txids: Uint8Array,
  now: UnixSeconds
): ReadonlyArray<Removed> => {
  blockLowersMinimum(state.minimum, now)
  const leaving: Array<TxHandle> = []
  const removed: Array<Removed> = []
  // No entry can leave an empty mempool, but the fee delta of a confirmed transaction is dropped.
  if (state.columns.count === 0 && state.deltas.size === 0) return removed
  const copy = sharedCopies()
  transactions.forEach((tx, number) => {
    const txid = txids.subarray(number * 32, number * 32 + 32)
    const own = findId(state.byTxid, txid)
    if (own !== undefined) {
      removed.push(unlink(state, own, "block", tx.inputs, copy))
      leaving.push(own)
    }
    unlinkConflicts(state, tx, leaving, removed)
    if (state.deltas.size > 0) state.deltas.delete(hexOf(txid))
  })
  state.graph.remove(leaving)
  compact(state)
  state.graph.work(POST_CHANGE_BUDGET)
  return removed
}
