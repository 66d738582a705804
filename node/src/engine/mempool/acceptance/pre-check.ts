import {
  appraise,
  checkAppraisal,
  checkBeforeCoins,
  checkWithCoins,
  isNotInPool,
  isNotInPoolOtherwise,
  outputsAreNotKnown,
  replacementIsAllowed
} from "@lockstep/kernel/relay"
import type { Transaction } from "@lockstep/kernel/model"
import { type Verdict, type Violation, violation } from "@lockstep/kernel/verdict"
import type { TxHandle } from "@lockstep/txgraph"
import * as Result from "effect/Result"
import type { TxMempool } from "../../txmempool/contract.ts"
import type { MempoolCandidate } from "./candidate.ts"
import { checkTopology } from "./check-truc.ts"
import { type Earlier, findCoins, isConfirmed } from "./find-coins.ts"
import { lockPointsOf } from "./lock-points.ts"
import { type Refusal, refusal } from "./refusal.ts"
import type { Manner, Rig, Subject } from "./rig.ts"
import { spamVerdict } from "./spam-verdict.ts"

const refuse = (broken: Violation): Result.Result<never, Refusal> => Result.fail(refusal(broken))

/** Checks that the mempool contains no transaction with this txid or wtxid. */
export const checkIdentity = (state: TxMempool, { txid, wtxid }: Subject): Verdict<void, Violation> => {
  const pooled = state.ofTxid(txid)
  const pooledWtxid = pooled === undefined ? undefined : state.entry(pooled).wtxid
  const absent: Verdict<void, Violation> = isNotInPool(wtxid, pooledWtxid)
  return Result.isFailure(absent) ? absent : isNotInPoolOtherwise(pooledWtxid)
}

/** Entries that spend an outpoint of the transaction, each once. */
const conflictsOf = (state: TxMempool, { inputs }: Transaction): ReadonlyArray<TxHandle> => {
  const conflicts = new Set<TxHandle>()
  for (const { prevout } of inputs) {
    const spender = state.spenderOf(prevout)
    if (spender !== undefined) conflicts.add(spender)
  }
  return [...conflicts]
}

/**
 * Rejects a transaction whose coins are not all in memory. Until they are prefetched it is unknown whether they are
 * missing.
 */
const refuseIncomplete = (rig: Rig, subject: Subject, missing: Refusal["missing"]): Result.Result<never, Refusal> => {
  const known = outputsAreNotKnown(isConfirmed(rig, subject))
  return Result.isFailure(known)
    ? refuse(known.failure)
    : Result.fail(refusal(violation("TXI-001", null), {}, missing))
}

/** The minimum feerate of a full mempool for a single transaction; 0 if it does not apply. */
const minimumFor = ({ minimumFee }: Rig, { bypassLimits, packageFees }: Manner): number =>
  bypassLimits || packageFees ? 0 : minimumFee()

/** Checks the fee, the size and the topology of a transaction with known coins. */
const checkFunded = (
  rig: Rig,
  subject: Subject,
  manner: Manner,
  { coins, parents }: Pick<MempoolCandidate, "coins" | "parents">,
  conflicts: ReadonlyArray<TxHandle>
): Result.Result<MempoolCandidate, Refusal> => {
  const { engine: { tree: { tip } }, machine, settings, state } = rig
  const { policy } = settings
  const { tx, txid } = subject
  const { bypassLimits, packageFees } = manner
  const fee = checkWithCoins(machine, tx, coins, tip, policy)
  if (Result.isFailure(fee)) return refuse(fee.failure)
  const appraisal = appraise(tx, coins, fee.success, state.deltaOf(txid), policy)
  const rollingMinimum = { fee: BigInt(minimumFor(rig, manner)), size: 1_000 }
  const paid = checkAppraisal(appraisal, { rollingMinimum, bypassLimits, packageFees }, policy)
  if (Result.isFailure(paid)) return refuse(paid.failure)
  const wanted = spamVerdict(settings, tx, coins, appraisal)
  if (Result.isFailure(wanted)) return refuse(wanted.failure)
  const sibling = bypassLimits
    ? Result.succeed(undefined)
    : checkTopology(state, subject, appraisal.size, parents, conflicts, manner.mayEvictSibling)
  if (Result.isFailure(sibling)) return refuse(sibling.failure)
  return Result.succeed({
    ...subject,
    coins,
    parents,
    appraisal,
    locks: lockPointsOf(tx, coins, tip),
    conflicts: sibling.success === undefined ? conflicts : [...conflicts, sibling.success],
    evictsSibling: sibling.success !== undefined
  })
}

/**
 * Runs all checks of a transaction that precede those against the whole mempool, in Bitcoin Core's order. Coins that
 * are not in memory count as missing.
 */
export const preCheck = (
  rig: Rig,
  subject: Subject,
  manner: Manner,
  earlier: Earlier
): Result.Result<MempoolCandidate, Refusal> => {
  const { engine: { tree: { tip } }, settings: { policy }, state } = rig
  const { tx } = subject
  const alone = checkBeforeCoins(tx, tip, policy)
  if (Result.isFailure(alone)) return refuse(alone.failure)
  const absent = checkIdentity(state, subject)
  if (Result.isFailure(absent)) return refuse(absent.failure)
  const conflicts = conflictsOf(state, tx)
  const replaceable = replacementIsAllowed(conflicts.length, manner.mayReplace)
  if (Result.isFailure(replaceable)) return refuse(replaceable.failure)
  const found = findCoins(rig, tx, earlier)
  if (found.missing.length > 0) return refuseIncomplete(rig, subject, found.missing)
  return checkFunded(rig, subject, manner, found, conflicts)
}
