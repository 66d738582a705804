import {
  checkFee,
  checkPackageReplacement,
  checkPackageTruc,
  feeCeilingIsKept,
  type FeeRate,
  packageIsChildWithParents
} from "@lockstep/kernel/relay"
import { HOLDS, type Verdict, type Violation, violation } from "@lockstep/kernel/verdict"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { hexOf } from "../../../hex.ts"
import { unixSeconds } from "../../../quantities.ts"
import type { StorageError } from "../../../storage/storage-error.ts"
import type { PackageOutcome, TransactionOutcome } from "../../api/mempool-calls.ts"
import type { AcceptError } from "../contract.ts"
import type { Staged } from "../../txmempool/contract.ts"
import { type MempoolCandidate, newEntryOf } from "./candidate.ts"
import { checkParentDust } from "./check-in-pool.ts"
import { checkDiagram, checkModeTerms, replacementOf } from "./check-replacement.ts"
import { pooledParents } from "./check-truc.ts"
import { announceEntries, commitStaged } from "./commit.ts"
import { prefetchFor } from "./find-coins.ts"
import { acceptedOutcome, refusedOutcome, rejectionFor, replacedEntries } from "./outcome.ts"
import { preCheck } from "./pre-check.ts"
import { type Refusal, refusal } from "./refusal.ts"
import type { Manner, Rig, Subject } from "./rig.ts"
import { type Verification, verifyScripts } from "./scripts.ts"

/** The reason why a package fails: as a whole, or because of one of its members. */
type Fault =
  | { readonly _tag: "Package"; readonly refusal: Refusal }
  | MemberFault

interface MemberFault {
  readonly _tag: "Member"
  readonly number: number
  readonly refusal: Refusal
  readonly reason: string
}

type Judged<A> = Result.Result<A, Fault>

export const TRANSACTION_FAILED = { reason: "transaction failed", debug: undefined, isPolicy: false } as const

const ofPackage = (broken: Violation): Result.Result<never, Fault> =>
  Result.fail({ _tag: "Package", refusal: refusal(broken) })

const ofMember = (
  number: number,
  refused: Refusal,
  reason: string = TRANSACTION_FAILED.reason
): Result.Result<never, Fault> => Result.fail({ _tag: "Member", number, refusal: refused, reason })

const preCheckAll = (
  rig: Rig,
  members: ReadonlyArray<Subject>,
  manner: Manner
): Judged<ReadonlyArray<MempoolCandidate>> => {
  const earlier = new Map<string, Subject["tx"]>()
  const candidates: Array<MempoolCandidate> = []
  for (const [number, member] of members.entries()) {
    const candidate = preCheck(rig, member, manner, earlier)
    if (Result.isFailure(candidate)) return ofMember(number, candidate.failure)
    const { modifiedFee, size } = candidate.success.appraisal
    const ceiling = feeCeilingIsKept(modifiedFee, size, manner.maxFeerate)
    if (Result.isFailure(ceiling)) return ofMember(number, refusal(ceiling.failure))
    candidates.push(candidate.success)
    earlier.set(hexOf(member.txid), member.tx)
  }
  return Result.succeed(candidates)
}

/** Checks with the coins in memory and, if some are missing, again after they are prefetched. */
const preCheckWithCoins = (
  rig: Rig,
  members: ReadonlyArray<Subject>,
  manner: Manner
): Effect.Effect<Judged<ReadonlyArray<MempoolCandidate>>, StorageError> => {
  const judged = preCheckAll(rig, members, manner)
  const isMissing = Result.isFailure(judged) && judged.failure.refusal.violation.rule === "TXI-001"
  return isMissing
    ? Effect.map(prefetchFor(rig, members), () => preCheckAll(rig, members, manner))
    : Effect.succeed(judged)
}

const checkTopology = ({ state }: Rig, candidates: ReadonlyArray<MempoolCandidate>): Verdict<void, Violation> => {
  const members = candidates.map(({ appraisal: { size }, tx: { inputs, version }, txid, wtxid }) => ({
    txid,
    wtxid,
    version,
    size,
    spends: inputs.map(({ prevout }) => prevout.txid)
  }))
  for (const [number, { parents }] of candidates.entries()) {
    const verdict = checkPackageTruc(members[number]!, pooledParents(state, parents), members)
    if (Result.isFailure(verdict)) return verdict
  }
  return HOLDS
}

/** Sums the fees and the sizes of all members. */
const totalOf = (candidates: ReadonlyArray<MempoolCandidate>): FeeRate =>
  candidates.reduce(
    ({ fee, size }, { appraisal }) => ({ fee: fee + appraisal.modifiedFee, size: size + appraisal.size }),
    { fee: 0n, size: 0 }
  )

const checkConflicts = (
  rig: Rig,
  candidates: ReadonlyArray<MempoolCandidate>,
  total: FeeRate,
  staged: Staged
): Verdict<void, Violation> => {
  const conflicts = [...new Set(candidates.flatMap((each) => each.conflicts))]
  if (conflicts.length === 0) return staged.fits() ? HOLDS : Result.fail(violation("POL-100", null))
  const { modifiedFee, size } = candidates[0]!.appraisal
  const paid = checkPackageReplacement({
    ...replacementOf(rig, total, conflicts, staged),
    count: candidates.length,
    isChildWithParents: Result.isSuccess(packageIsChildWithParents(candidates)),
    pooledParents: candidates.reduce((sum, { parents }) => sum + parents.size, 0),
    parent: { fee: modifiedFee, size }
  }, rig.settings.policy.incrementalRelayFee)
  if (Result.isFailure(paid)) return paid
  const terms = checkModeTerms(rig, candidates, total, staged)
  return Result.isFailure(terms) ? terms : checkDiagram(rig, staged, true)
}

/** Checks a package against the whole mempool, scripts apart. Yields the staged change. */
const checkInPool = (rig: Rig, candidates: ReadonlyArray<MempoolCandidate>, manner: Manner): Judged<Staged> => {
  const { engine: { clock, tree: { tip } }, minimumFee, settings: { policy }, state } = rig
  const topology = checkTopology(rig, candidates)
  if (Result.isFailure(topology)) return ofPackage(topology.failure)
  const total = totalOf(candidates)
  const rolling = { fee: BigInt(minimumFee()), size: 1_000 }
  const paid = manner.packageFees ? checkFee(total.fee, total.size, rolling, policy.minRelayFee) : HOLDS
  if (Result.isFailure(paid)) return ofMember(candidates.length - 1, refusal(paid.failure))
  const time = unixSeconds(clock.now())
  const staged = state.stage({
    entries: candidates.map((each) => newEntryOf(each, time, tip.height)),
    conflicts: [...new Set(candidates.flatMap(({ conflicts }) => conflicts))]
  })
  const fits = checkConflicts(rig, candidates, total, staged)
  if (Result.isFailure(fits)) return ofPackage(fits.failure)
  for (const [number, candidate] of candidates.entries()) {
    const inputs = new Set(candidate.tx.inputs.map(({ prevout }) => hexOf(prevout.txid)))
    const parents = candidates.slice(0, number).filter(({ txid }) => inputs.has(hexOf(txid)))
    const spent = checkParentDust(rig, candidate, parents)
    if (Result.isFailure(spent)) return ofMember(number, refusal(spent.failure), "unspent-dust")
  }
  return Result.succeed(staged)
}

/** Returns the first member with an invalid script. Workers verify all members in parallel. */
const firstScriptFault = Effect.fnUntraced(function*(
  verifications: ReadonlyArray<Verification>
): Effect.fn.Return<MemberFault | undefined, AcceptError> {
  for (const [number, each] of verifications.entries()) {
    const refused = each._tag === "Done" ? each.refusal : yield* each.answer
    if (refused === undefined) continue
    return { _tag: "Member", number, refusal: refused, reason: TRANSACTION_FAILED.reason }
  }
  return undefined
})

const failedOutcome = (
  rig: Rig,
  members: ReadonlyArray<Subject>,
  fault: Fault,
  before: ReadonlyArray<TransactionOutcome> = []
): PackageOutcome => {
  if (fault._tag === "Package") {
    const { debug, reason } = rejectionFor(members.at(-1)!, fault.refusal)
    return { failure: { reason, debug, isPolicy: true }, outcomes: members.map(() => undefined) }
  }
  return {
    failure: { ...TRANSACTION_FAILED, reason: fault.reason },
    outcomes: members.map((member, number) =>
      number === fault.number ? refusedOutcome(rig, member, fault.refusal) : before[number]
    )
  }
}

/**
 * Judges several transactions as a whole and accepts them unless this is a test. The caller trims the mempool.
 * Precondition: the package is well-formed.
 */
export const judgeTogether = Effect.fnUntraced(function*(
  rig: Rig,
  members: ReadonlyArray<Subject>,
  manner: Manner,
  isTest: boolean
): Effect.fn.Return<PackageOutcome, AcceptError> {
  const checked = yield* preCheckWithCoins(rig, members, manner)
  if (Result.isFailure(checked)) return failedOutcome(rig, members, checked.failure)
  const candidates = checked.success
  const staged = checkInPool(rig, candidates, manner)
  if (Result.isFailure(staged)) return failedOutcome(rig, members, staged.failure)
  const verifications = candidates.map((each) => verifyScripts(rig, each))
  const fault = yield* firstScriptFault(verifications)
  const together = manner.packageFees
    ? { feerate: totalOf(candidates), wtxids: members.map(({ wtxid }) => wtxid) }
    : undefined
  const accepted = (replaced: Parameters<typeof acceptedOutcome>[1]) =>
    candidates.map((each, number) => acceptedOutcome(each, number === 0 ? replaced : [], together))
  if (fault !== undefined) {
    const before = isTest ? accepted([]).slice(0, fault.number) : []
    return failedOutcome(rig, members, fault, before)
  }
  if (isTest) return { failure: undefined, outcomes: accepted([]) }
  for (const [number, { flags }] of verifications.entries()) rig.engine.scriptCache.add(members[number]!.wtxid, flags)
  const { added, removed } = commitStaged(rig, staged.success)
  announceEntries(rig, added, { isCounted: false, isNew: true })
  return { failure: undefined, outcomes: accepted(replacedEntries(removed)) }
})
