import type { Transaction } from "@lockstep/kernel/model"
import { checkPackage } from "@lockstep/kernel/relay"
import type { Violation } from "@lockstep/kernel/verdict"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { PackageOutcome } from "../../api/mempool-calls.ts"
import type { AcceptError } from "../contract.ts"
import { rejectionFor } from "./outcome.ts"
import { refusal } from "./refusal.ts"
import { type Rig, type Subject, subjectOf } from "./rig.ts"
import { judgeTogether } from "./together.ts"

/** The outcome of a package whose shape excludes further checks. */
export const misshapen = (members: ReadonlyArray<Subject>, broken: Violation): PackageOutcome => {
  const { debug, reason } = rejectionFor(members.at(-1)!, refusal(broken))
  return { failure: { reason, debug, isPolicy: true }, outcomes: members.map(() => undefined) }
}

/** Tests transactions that may spend from each other, each with its own fee. Nothing is replaced. */
export const testPackage = (
  rig: Rig,
  transactions: ReadonlyArray<Transaction>
): Effect.Effect<PackageOutcome, AcceptError> => {
  const members = transactions.map((tx) => subjectOf(rig, tx))
  const wellFormed = checkPackage(members)
  if (Result.isFailure(wellFormed)) return Effect.succeed(misshapen(members, wellFormed.failure))
  return judgeTogether(
    rig,
    members,
    {
      bypassLimits: false,
      packageFees: false,
      mayReplace: false,
      mayEvictSibling: false,
      maxFeerate: undefined
    },
    true
  )
}
