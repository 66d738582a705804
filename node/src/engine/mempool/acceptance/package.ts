import type { Transaction } from "@lockstep/kernel/model"
import { checkPackage, type FeeRate, packageIsChildWithParents } from "@lockstep/kernel/relay"
import type { Verdict, Violation } from "@lockstep/kernel/verdict"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { unixSeconds } from "../../../quantities.ts"
import type { PackageOutcome, TransactionOutcome } from "../../api/mempool-calls.ts"
import type { AcceptError } from "../contract.ts"
import { fullOutcome, refusedOutcome } from "./outcome.ts"
import { checkIdentity } from "./pre-check.ts"
import { refusal } from "./refusal.ts"
import { type Manner, type Rig, singly, type Subject, subjectOf } from "./rig.ts"
import { acceptSingle, inThisTurn } from "./single.ts"
import { misshapen } from "./test-package.ts"
import { judgeTogether, TRANSACTION_FAILED } from "./together.ts"

const checkShape = (members: ReadonlyArray<Subject>): Verdict<void, Violation> => {
  const wellFormed = checkPackage(members)
  return Result.isFailure(wellFormed) || members.length === 1 ? wellFormed : packageIsChildWithParents(members)
}

/** Reports whether a member that fails alone may pass with others: it pays too little, or its parent does. */
export const mayDoTogether = (outcome: TransactionOutcome): boolean =>
  outcome._tag === "Rejected" &&
  (outcome.rejection.what === "reconsiderable" || outcome.rejection.what === "missing inputs")

export const acceptAlone = (
  rig: Rig,
  member: Subject,
  maxFeerate: FeeRate | undefined
): Effect.Effect<TransactionOutcome, AcceptError> => {
  // With another witness it might fail before the mempool is searched for it.
  const absent = checkIdentity(rig.state, member)
  if (Result.isFailure(absent)) return Effect.succeed(refusedOutcome(rig, member, refusal(absent.failure)))
  return acceptSingle(rig, inThisTurn, member.tx, {
    manner: singly(rig, false, maxFeerate),
    time: unixSeconds(rig.engine.clock.now()),
    isTest: false,
    isInPackage: true
  })
}

/** Conditions for transactions whose fees are judged together. */
export const packageManner = (rig: Rig, maxFeerate: FeeRate | undefined): Manner => ({
  bypassLimits: false,
  packageFees: true,
  mayReplace: rig.terms.packages,
  mayEvictSibling: false,
  maxFeerate
})

/** Removes from an outcome the transactions that were evicted when the mempool was trimmed. */
export const withoutEvicted = (
  { state }: Rig,
  members: ReadonlyArray<Subject>,
  { failure, outcomes }: PackageOutcome
): PackageOutcome => {
  const isGone = members.map(({ txid, wtxid }, number) => {
    const tag = outcomes[number]?._tag
    if (tag === "Accepted") return state.ofWtxid(wtxid) === undefined
    return (tag === "InMempool" || tag === "OtherWitness") && state.ofTxid(txid) === undefined
  })
  return isGone.includes(true)
    ? {
      failure: TRANSACTION_FAILED,
      outcomes: outcomes.map((outcome, number) => isGone[number] ? fullOutcome(members[number]!, true) : outcome)
    }
    : { failure, outcomes }
}

/** Judges the members that fail alone together; a single one once more, because the others have changed the mempool. */
const judgeRest = Effect.fnUntraced(function*(
  rig: Rig,
  rest: ReadonlyArray<Subject>,
  maxFeerate: FeeRate | undefined
): Effect.fn.Return<PackageOutcome, AcceptError> {
  const [first] = rest
  if (first === undefined) return { failure: undefined, outcomes: [] }
  if (rest.length > 1) return yield* judgeTogether(rig, rest, packageManner(rig, maxFeerate), false)
  const outcome = yield* acceptAlone(rig, first, maxFeerate)
  return { failure: outcome._tag === "Accepted" ? undefined : TRANSACTION_FAILED, outcomes: [outcome] }
})

/** Accepts a child with parents: each that passes alone, then the rest together at one feerate. */
export const acceptPackage = Effect.fnUntraced(function*(
  rig: Rig,
  transactions: ReadonlyArray<Transaction>,
  maxFeerate: FeeRate | undefined
): Effect.fn.Return<PackageOutcome, AcceptError> {
  const members = transactions.map((tx) => subjectOf(rig, tx))
  const shape = checkShape(members)
  if (Result.isFailure(shape)) return misshapen(members, shape.failure)
  const outcomes: Array<TransactionOutcome> = []
  const rest: Array<Subject> = []
  let hasFailed = false
  for (const member of members) {
    const outcome = yield* acceptAlone(rig, member, maxFeerate)
    outcomes.push(outcome)
    if (outcome._tag !== "Rejected") continue
    if (members.length > 1 && mayDoTogether(outcome)) rest.push(member)
    else hasFailed = true
  }
  const judged = hasFailed ? { failure: TRANSACTION_FAILED, outcomes: [] } : yield* judgeRest(rig, rest, maxFeerate)
  rig.makeRoom()
  return withoutEvicted(rig, members, {
    failure: judged.failure,
    outcomes: members.map((member, number) => judged.outcomes[rest.indexOf(member)] ?? outcomes[number])
  })
})
