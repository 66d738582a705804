import type { Sats } from "@lockstep/kernel/quantities"
import type { HeaderIndexNode } from "../../header-index/header-index-node.ts"
import type { MempoolCandidate } from "./candidate.ts"
import type { Rig } from "./rig.ts"

/** Everything that the verdict on a transaction depends on if it touches no other transaction of the mempool. */
export interface VerdictBasis {
  readonly tip: HeaderIndexNode
  /** The minimum feerate because the mempool was full. */
  readonly minimumFee: number
  /** The fee delta of the operator. */
  readonly delta: Sats
}

export const basisOf = ({ engine, foreseenMinimumFee, state }: Rig, { txid }: MempoolCandidate): VerdictBasis => ({
  tip: engine.tree.tip,
  minimumFee: foreseenMinimumFee(),
  delta: state.deltaOf(txid)
})

const meetsNone = ({ state }: Rig, { tx: { inputs }, txid }: MempoolCandidate): boolean =>
  state.ofTxid(txid) === undefined &&
  inputs.every(({ prevout }) => state.spenderOf(prevout) === undefined && state.ofTxid(prevout.txid) === undefined)

/** Reports whether the basis of a verdict is unchanged. */
export const hasSameBasis = (
  rig: Rig,
  candidate: MempoolCandidate,
  { delta, minimumFee, tip }: VerdictBasis
): boolean => {
  const now = basisOf(rig, candidate)
  return now.tip === tip && now.minimumFee === minimumFee && now.delta === delta
}

/**
 * Reports whether a transaction that was valid is still valid on the same basis, however the mempool has changed. It
 * touched no other transaction then, and touches none now.
 */
export const standsAlone = (rig: Rig, candidate: MempoolCandidate): boolean =>
  candidate.conflicts.length === 0 && candidate.parents.size === 0 && meetsNone(rig, candidate)
