import type { Transaction } from "@lockstep/kernel/model"
import type { TxHandle } from "@lockstep/txgraph"
import type { RemovalReason, Removed } from "./contract.ts"
import { findId } from "./id-index.ts"
import { compact, unlink } from "./link.ts"
import { spenderOf } from "./spent-index.ts"
import { inRawOrder, type MempoolState } from "./state.ts"

/** Removes exactly these entries, in wire order of their txids. */
export const removeEntries = (
  state: MempoolState,
  txs: Iterable<TxHandle>,
  reason: RemovalReason
): ReadonlyArray<Removed> => {
  const leaving = inRawOrder(state, txs)
  const removed = leaving.map((tx) => unlink(state, tx, reason))
  state.graph.remove(leaving)
  compact(state)
  return removed
}

/** Removes entries and their descendants, in wire order of their txids. */
export const removeWithDescendants = (
  state: MempoolState,
  txs: ReadonlyArray<TxHandle>,
  reason: RemovalReason
): ReadonlyArray<Removed> => txs.length === 0 ? [] : removeEntries(state, state.graph.descendants(txs), reason)

/** Returns the entries that spend an output of a transaction, each once. */
export const spendersOf = (
  { spent }: MempoolState,
  { outputs }: Transaction,
  txid: Uint8Array
): ReadonlyArray<TxHandle> => [...new Set(outputs.flatMap((_, vout) => spenderOf(spent, { txid, vout }) ?? []))]

/** Removes a transaction with its descendants. If it is no entry, removes the entries that spend it, one after the other. */
export const removeRecursive = (
  state: MempoolState,
  tx: Transaction,
  txid: Uint8Array,
  reason: RemovalReason
): ReadonlyArray<Removed> => {
  const handle = findId(state.byTxid, txid)
  if (handle !== undefined) return removeWithDescendants(state, [handle], reason)
  const removed: Array<Removed> = []
  for (const spender of spendersOf(state, tx, txid)) {
    // It may have been removed with an earlier spender.
    if (state.columns.isPresent[spender] === 0) continue
    removed.push(...removeWithDescendants(state, [spender], reason))
  }
  return removed
}
