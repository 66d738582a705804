import type { Transaction } from "@lockstep/kernel/model"
import type { ScriptFlags } from "@lockstep/kernel/script"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { UnixSeconds } from "../../../quantities.ts"
import type { StorageError } from "../../../storage/storage-error.ts"
import type { TransactionOutcome } from "../../api/mempool-calls.ts"
import type { ChainEngine } from "../../state/chain-engine.ts"
import type { ScriptPoolFailure } from "../../script-pool/script-pool.ts"
import type { Staged } from "../../txmempool/contract.ts"
import { type MempoolCandidate, newEntryOf } from "./candidate.ts"
import { checkInPool } from "./check-in-pool.ts"
import { commitStaged } from "./commit.ts"
import { NO_MEMBERS, prefetchFor } from "./find-coins.ts"
import { acceptedOutcome, fullOutcome, refusedOutcome, replacedEntries } from "./outcome.ts"
import { preCheck } from "./pre-check.ts"
import type { Refusal } from "./refusal.ts"
import { type Manner, type Rig, type Subject, subjectOf } from "./rig.ts"
import { type Verification, verifyScripts } from "./scripts.ts"
import { type VerdictBasis, basisOf, hasSameBasis, standsAlone } from "./verdict-basis.ts"

/** Options of one acceptance. */
export interface Course {
  readonly manner: Manner
  readonly time: UnixSeconds
  readonly isTest: boolean
  /** True if it is submitted in a package, which trims the mempool at its end. */
  readonly isInPackage: boolean
  /** True if it comes from a mempool file. */
  readonly isSaved?: boolean
}

/** Runs a task in the writer's turn. */
export type Turn<E> = <A>(task: Effect.Effect<A, StorageError>) => Effect.Effect<A, E>

/** Runs a task directly, for a caller that has the writer's turn. */
export const inThisTurn: Turn<StorageError> = (task) => task

/** A checked transaction whose scripts are not verified yet. */
interface Checked {
  readonly candidate: MempoolCandidate
  readonly staged: Staged
  /** The mempool's change counter at the time of the check. */
  readonly updates: number
  readonly basis: VerdictBasis
}

const stageAlone = (
  { engine: { tree: { tip } }, state }: Rig,
  candidate: MempoolCandidate,
  { manner, time }: Course
): Staged =>
  state.stage({
    entries: [newEntryOf(candidate, time, tip.height)],
    conflicts: candidate.conflicts,
    isReturning: manner.bypassLimits
  })

const check = (rig: Rig, subject: Subject, course: Course): Result.Result<Checked, Refusal> => {
  const { manner } = course
  const candidate = preCheck(rig, subject, manner, NO_MEMBERS)
  if (Result.isFailure(candidate)) return Result.fail(candidate.failure)
  const staged = stageAlone(rig, candidate.success, course)
  const verdict = checkInPool(rig, candidate.success, manner, staged)
  return Result.isFailure(verdict)
    ? Result.fail(verdict.failure)
    : Result.succeed({
      candidate: candidate.success,
      staged,
      updates: rig.state.updates(),
      basis: basisOf(rig, candidate.success)
    })
}

/**
 * Reports whether coins are missing. An output of it in memory (POL-088) shows that it is confirmed, so its inputs are
 * really spent.
 */
const isMissing = ({ violation }: Refusal): boolean => violation.rule === "TXI-001"

/** Checks with the coins in memory and, if some are missing, again after they are prefetched. */
const checkWithCoins = (
  rig: Rig,
  subject: Subject,
  course: Course
): Effect.Effect<Result.Result<Checked, Refusal>, StorageError> => {
  const checked = check(rig, subject, course)
  return Result.isFailure(checked) && isMissing(checked.failure)
    ? Effect.map(prefetchFor(rig, [subject]), () => check(rig, subject, course))
    : Effect.succeed(checked)
}

const testedOutcome = ({ state }: Rig, { candidate, staged }: Checked): TransactionOutcome =>
  acceptedOutcome(
    candidate,
    staged.removals.map((each) => {
      const { bytes, txid } = state.entry(each)
      return { txid, bytes }
    })
  )

/** Age of a tip, in seconds, from which it is no evidence of present fees. */
const MAX_FEE_TIP_AGE = 3 * 60 * 60

/** Reports whether the chain is up to date as far as the node can know, so that new transactions wait for the next block. */
export const chainIsCurrent = ({ clock, initialBlockDownload, tree: { bestHeader, tip } }: ChainEngine): boolean =>
  !initialBlockDownload && tip.header.time >= clock.now() - MAX_FEE_TIP_AGE && tip.height >= bestHeader.height - 1

/** Commits a transaction whose scripts are valid. Precondition: nothing has changed since it was checked. */
const commit = (
  rig: Rig,
  { candidate, staged }: Checked,
  { isInPackage, isSaved = false, manner: { bypassLimits } }: Course,
  flags: ScriptFlags
): TransactionOutcome => {
  const { announceAdded, engine, makeRoom, state } = rig
  const { parents, txid, wtxid } = candidate
  engine.scriptCache.add(wtxid, flags)
  const { removed } = commitStaged(rig, staged)
  if (!isInPackage && !bypassLimits) makeRoom()
  const handle = state.ofTxid(txid)
  if (handle === undefined) return fullOutcome(candidate, false)
  announceAdded(handle, {
    isCounted: !isInPackage && !bypassLimits && parents.size === 0 && chainIsCurrent(engine),
    isNew: !bypassLimits && !isSaved
  })
  return acceptedOutcome(candidate, replacedEntries(removed))
}

/** The outcome of a transaction whose scripts are valid, in a block with these flags as well. */
const conclude = (rig: Rig, checked: Checked, course: Course, flags: ScriptFlags): TransactionOutcome =>
  course.isTest ? testedOutcome(rig, checked) : commit(rig, checked, course, flags)

/** Concludes after a verification during which transactions or a block may have arrived. */
const concludeLater = Effect.fnUntraced(function*(
  rig: Rig,
  checked: Checked,
  course: Course,
  flags: ScriptFlags
): Effect.fn.Return<TransactionOutcome, StorageError> {
  const { candidate, basis, updates } = checked
  const isSame = hasSameBasis(rig, candidate, basis)
  if (isSame && updates === rig.state.updates()) return conclude(rig, checked, course, flags)
  if (isSame && standsAlone(rig, candidate)) {
    return conclude(rig, { ...checked, staged: stageAlone(rig, candidate, course) }, course, flags)
  }
  const again = yield* checkWithCoins(rig, candidate, course)
  return Result.isFailure(again)
    ? refusedOutcome(rig, candidate, again.failure)
    : conclude(rig, again.success, course, flags)
})

interface Waiting {
  readonly checked: Checked
  readonly verification: Extract<Verification, { readonly _tag: "Started" }>
}

/** Begins the verification. It is finished at once if no worker is needed. */
const begin = Effect.fnUntraced(function*(
  rig: Rig,
  subject: Subject,
  course: Course
): Effect.fn.Return<TransactionOutcome | Waiting, StorageError> {
  const checked = yield* checkWithCoins(rig, subject, course)
  if (Result.isFailure(checked)) return refusedOutcome(rig, subject, checked.failure)
  const verification = verifyScripts(rig, checked.success.candidate)
  if (verification._tag === "Started") return { checked: checked.success, verification }
  return verification.refusal === undefined
    ? conclude(rig, checked.success, course, verification.flags)
    : refusedOutcome(rig, subject, verification.refusal)
})

/**
 * Judges a single transaction and accepts it unless this is a test. Scripts are verified between two turns of the
 * writer, so several transactions may be verified at a time. The checks are repeated if anything has changed.
 */
export const acceptSingle = Effect.fnUntraced(function*<E>(
  rig: Rig,
  turn: Turn<E>,
  tx: Transaction,
  course: Course
): Effect.fn.Return<TransactionOutcome, E | ScriptPoolFailure> {
  const subject = subjectOf(rig, tx)
  const begun = yield* turn(begin(rig, subject, course))
  if ("_tag" in begun) return begun
  const { checked, verification } = begun
  const refused = yield* verification.answer
  return refused === undefined
    ? yield* turn(concludeLater(rig, checked, course, verification.flags))
    : refusedOutcome(rig, subject, refused)
})
