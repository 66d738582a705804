import type { OutPoint } from "@lockstep/kernel/model"
import {
  ancestorsStay,
  checkTerms,
  diagramImproves,
  type FeeRate,
  packageDiagramImproves,
  type Replacement,
  type ReplacementTerms,
  type TermsFacts
} from "@lockstep/kernel/relay"
import { HOLDS, type Verdict, type Violation, violation } from "@lockstep/kernel/verdict"
import { compareDiagrams, type TxHandle } from "@lockstep/txgraph"
import * as Result from "effect/Result"
import type { Staged } from "../../txmempool/contract.ts"
import type { MempoolCandidate } from "./candidate.ts"
import type { Rig } from "./rig.ts"

/** What the staged change removes and what comes instead, as the rules count it. */
export const replacementOf = (
  { state }: Rig,
  { fee, size }: FeeRate,
  conflicts: ReadonlyArray<TxHandle>,
  { removals }: Staged
): Replacement => ({
  fee,
  size,
  clusters: state.graph.clusterCount(conflicts),
  removedFees: state.sums(removals).fees
})

/** Confirmations of the least confirmed coin that is spent by no entry; none: there is no such coin. */
const addedConfirmations = (
  { engine: { tree: { tip } }, state }: Rig,
  candidates: ReadonlyArray<MempoolCandidate>
): number | undefined => {
  let least: number | undefined
  for (const { coins, tx } of candidates) {
    for (const [i, { prevout }] of tx.inputs.entries()) {
      if (state.spenderOf(prevout) !== undefined) continue
      // A coin of the mempool has the height of the next block.
      const confirmations = tip.height - coins[i]!.height + 1
      least = Math.min(least ?? confirmations, confirmations)
    }
  }
  return least
}

/** Whether the terms ask for anything that the rules of all do not. */
const asksMore = (
  { bump, confirmations, cooldown, maxReplacements, rateFactor, signalling }: ReplacementTerms
): boolean =>
  signalling || rateFactor > 0 || bump !== undefined || maxReplacements !== undefined || cooldown > 0 ||
  confirmations > 0

/** What the mode asks of transactions that replace others, beside the rules of all. */
export const checkModeTerms = (
  rig: Rig,
  candidates: ReadonlyArray<MempoolCandidate>,
  own: FeeRate,
  { removals }: Staged
): Verdict<void, Violation> => {
  const { engine: { clock }, history, state, terms } = rig
  if (!asksMore(terms)) return HOLDS
  const { fees, virtualSize } = state.sums(removals)
  const spent: ReadonlyArray<OutPoint> = candidates.flatMap(({ tx }) => tx.inputs.map(({ prevout }) => prevout))
  const replaced = history.of(spent)
  const facts: TermsFacts = {
    conflicts: candidates.flatMap(({ conflicts }) => conflicts.map(state.transaction)),
    own,
    removed: { fee: fees, size: virtualSize },
    replacements: replaced?.count ?? 0,
    waited: replaced && clock.now() - replaced.time,
    confirmations: addedConfirmations(rig, candidates)
  }
  return checkTerms(facts, terms)
}

/** The clusters that result are small enough, and worth more to miners where that is asked. */
export const checkDiagram = (
  { terms }: Rig,
  staged: Staged,
  isPackage: boolean
): Verdict<void, Violation> => {
  const diagrams = staged.diagrams()
  if (diagrams === undefined) return Result.fail(violation("POL-100", null))
  if (!terms.diagram) return HOLDS
  const order = compareDiagrams(diagrams.after, diagrams.before)
  return isPackage ? packageDiagramImproves(order) : diagramImproves(order)
}

/** A replacement does not descend from what it replaces. */
export const checkAncestors = ({ state }: Rig, { conflicts, parents }: MempoolCandidate): Verdict<void, Violation> =>
  ancestorsStay(state.graph.ancestors([...parents.keys()]).map(state.txidOf), conflicts.map(state.txidOf))
