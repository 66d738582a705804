import type { Transaction } from "@lockstep/kernel/model"
import {
  checkReplacement,
  type DustyParent,
  dustOutputs,
  feeCeilingIsKept,
  parentDustIsSpent
} from "@lockstep/kernel/relay"
import type { Hash } from "@lockstep/kernel/quantities"
import { HOLDS, type Verdict, type Violation, violation } from "@lockstep/kernel/verdict"
import * as Result from "effect/Result"
import type { Staged } from "../../txmempool/contract.ts"
import type { MempoolCandidate } from "./candidate.ts"
import { checkAncestors, checkDiagram, checkModeTerms, replacementOf } from "./check-replacement.ts"
import { type Refusal, refusal } from "./refusal.ts"
import type { Manner, Rig } from "./rig.ts"

const checkConflicts = (rig: Rig, candidate: MempoolCandidate, staged: Staged): Verdict<void, Violation> => {
  const { appraisal, conflicts } = candidate
  const own = { fee: appraisal.modifiedFee, size: appraisal.size }
  const { incrementalRelayFee } = rig.settings.policy
  const paid = checkReplacement(replacementOf(rig, own, conflicts, staged), incrementalRelayFee)
  if (Result.isFailure(paid)) return paid
  const terms = checkModeTerms(rig, [candidate], own, staged)
  if (Result.isFailure(terms)) return terms
  const diagram = checkDiagram(rig, staged, false)
  return Result.isFailure(diagram) ? diagram : checkAncestors(rig, candidate)
}

/** Checks that all dust of unconfirmed parents, including those of a package, is spent. */
export const checkParentDust = (
  { settings: { policy }, state }: Rig,
  { parents, tx }: MempoolCandidate,
  members: ReadonlyArray<{ readonly tx: Transaction; readonly txid: Hash }>
): Verdict<void, Violation> => {
  if (!policy.requireStandard || parents.size + members.length === 0) return HOLDS
  const dusty: Array<DustyParent> = []
  for (const [handle, parent] of parents) {
    const dust = dustOutputs(parent, policy.dustRelayFee)
    if (dust.length > 0) dusty.push({ txid: state.txidOf(handle), dust })
  }
  for (const member of members) {
    const dust = dustOutputs(member.tx, policy.dustRelayFee)
    if (dust.length > 0) dusty.push({ txid: member.txid, dust })
  }
  return parentDustIsSpent(tx, dusty)
}

/** Checks a single transaction against the whole mempool, scripts apart. */
export const checkInPool = (
  rig: Rig,
  candidate: MempoolCandidate,
  manner: Manner,
  staged: Staged
): Result.Result<void, Refusal> => {
  const { appraisal: { modifiedFee, size }, conflicts, evictsSibling } = candidate
  const refuse = (broken: Violation) => Result.fail(refusal(broken, { evictsSibling }))
  const replaces = conflicts.length > 0 ? checkConflicts(rig, candidate, staged) : HOLDS
  if (Result.isFailure(replaces)) return refuse(replaces.failure)
  if (conflicts.length === 0 && !staged.fits()) return refuse(violation("POL-100", null))
  const ceiling = feeCeilingIsKept(modifiedFee, size, manner.maxFeerate)
  if (Result.isFailure(ceiling)) return refuse(ceiling.failure)
  const spent = manner.bypassLimits ? HOLDS : checkParentDust(rig, candidate, [])
  return Result.isFailure(spent) ? refuse(spent.failure) : HOLDS
}
