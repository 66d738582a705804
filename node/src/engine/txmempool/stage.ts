import { modifiedFee } from "@lockstep/kernel/relay"
import { type Changes, type NewTransaction, POST_CHANGE_BUDGET, type TxHandle } from "@lockstep/txgraph"
import { hexOf } from "../../hex.ts"
import type { Arrivals, Committed, NewEntry, Staged } from "./contract.ts"
import { graphFee } from "./entry-columns.ts"
import { findId } from "./id-index.ts"
import { compact, link, unlink } from "./link.ts"
import { deltaOf } from "./priority.ts"
import { inRawOrder, type MempoolState } from "./state.ts"

/** Returns the entries whose outputs a transaction spends, each once, in the order of its inputs. */
export const parentsOf = ({ byTxid }: MempoolState, { inputs }: NewEntry["tx"]): ReadonlyArray<TxHandle> => [
  ...new Set(inputs.flatMap(({ prevout }) => findId(byTxid, prevout.txid) ?? []))
]

const additionsOf = (
  entries: ReadonlyArray<NewEntry>,
  parents: ReadonlyArray<ReadonlyArray<TxHandle>>,
  fees: ReadonlyArray<bigint>
): ReadonlyArray<NewTransaction> => {
  const numbers = new Map<string, number>()
  return entries.map(({ adjustedWeight, tx, txid }, number) => {
    const newParents = [...new Set(tx.inputs.flatMap(({ prevout }) => numbers.get(hexOf(prevout.txid)) ?? []))]
    numbers.set(hexOf(txid), number)
    return { fee: graphFee(fees[number]!), size: adjustedWeight, parents: parents[number]!, newParents }
  })
}

/** Stages arrivals. The mempool does not change until they are committed. */
export const stage = (state: MempoolState, { conflicts, entries, isReturning = false }: Arrivals): Staged => {
  const { graph } = state
  const sequence = isReturning ? 0 : state.sequence
  const removals = inRawOrder(state, graph.descendants(conflicts))
  const parents = entries.map(({ tx }) => parentsOf(state, tx))
  const modifiedFees = entries.map(({ fee, txid }) => modifiedFee(fee, deltaOf(state, txid)))
  const changes: Changes = { removals, additions: additionsOf(entries, parents, modifiedFees) }

  const commit = (): Committed | undefined => {
    if (!graph.fits(changes)) return undefined
    const removed = removals.map((tx) => unlink(state, tx, "replaced"))
    const added = graph.apply(changes)!
    added.forEach((tx, number) => link(state, tx, entries[number]!, { modifiedFee: modifiedFees[number]!, sequence }))
    compact(state)
    graph.work(POST_CHANGE_BUDGET)
    return { added, removed }
  }

  return {
    removals,
    parents,
    modifiedFees,
    fits: () => graph.fits(changes),
    diagrams: () => graph.diagrams(changes),
    commit
  }
}
