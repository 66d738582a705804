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

/** Describes a staged replacement as the rules count it: removed entries and their successors. */
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

/** Confirmations of the least confirmed coin that no entry spends, or `undefined` without such a coin. */
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

/** Reports whether the terms demand more than the rules of every mode. */
const asksMore = (
  { bump, confirmations, cooldown, maxReplacements, rateFactor, signalling }: ReplacementTerms
): boolean =>
  signalling || rateFactor > 0 || bump !== undefined || maxReplacements !== undefined || cooldown > 0 ||
  confirmations > 0

/** Checks the terms of the mode for replacements, beyond the rules of every mode. */
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

/** Checks that the resulting clusters are small enough and, if required, worth more to miners. */
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

/** Checks that a replacement does not descend from an entry that it replaces. */
export const checkAncestors = ({ state }: Rig, { conflicts, parents }: MempoolCandidate): Verdict<void, Violation> =>
  ancestorsStay(state.graph.ancestors([...parents.keys()]).map(state.txidOf), conflicts.map(state.txidOf))
