import type { Sats } from "@lockstep/kernel/quantities"
import type { HeaderIndexNode } from "../../header-index/header-index-node.ts"
import type { MempoolCandidate } from "./candidate.ts"
import type { Rig } from "./rig.ts"

/** All that the verdict on a transaction rests on, were it to meet no other transaction of the mempool. */
export interface VerdictBasis {
  readonly tip: HeaderIndexNode
  /** What the mempool asks for because it was full. */
  readonly minimumFee: number
  /** What the operator added to its fee. */
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

/** Whether what a verdict rests on is as it was. */
export const hasSameBasis = (
  rig: Rig,
  candidate: MempoolCandidate,
  { delta, minimumFee, tip }: VerdictBasis
): boolean => {
  const now = basisOf(rig, candidate)
  return now.tip === tip && now.minimumFee === minimumFee && now.delta === delta
}

/**
 * Whether a transaction that held still holds on the same basis, however the mempool has changed: it met no other one
 * then, and meets none now.
 */
export const standsAlone = (rig: Rig, candidate: MempoolCandidate): boolean =>
  candidate.conflicts.length === 0 && candidate.parents.size === 0 && meetsNone(rig, candidate)
