import { bytesEqual } from "@lockstep/kernel/bytes"
import { checkPackage, type FeeRate } from "@lockstep/kernel/relay"
import type { Transaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { PackageOutcome, TransactionOutcome } from "../../api/mempool-calls.ts"
import type { AcceptError } from "../contract.ts"
import { acceptAlone, mayDoTogether, packageManner, withoutEvicted } from "./package.ts"
import { type Rig, type Subject, subjectOf } from "./rig.ts"
import { misshapen } from "./test-package.ts"
import { judgeTogether, TRANSACTION_FAILED } from "./together.ts"

/** For each member, the members that it descends from, itself included. Precondition: parents come before their children. */
const lineages = (members: ReadonlyArray<Subject>): ReadonlyArray<ReadonlySet<number>> => {
  const all: Array<ReadonlySet<number>> = []
  for (const [number, { tx }] of members.entries()) {
    const own = new Set([number])
    for (const { prevout } of tx.inputs) {
      const parent = members.findIndex(({ txid }) => bytesEqual(txid, prevout.txid))
      for (const each of all[parent] ?? []) own.add(each)
    }
    all.push(own)
  }
  return all
}

/**
 * Accepts a transaction with its ancestors (BIP331). Each member is accepted alone if possible, else with its remaining
 * ancestors. So a child pays for its ancestors, and no ancestor pays for a child. The first failure for another reason
 * than the fee ends it, so that no script is verified twice.
 */
export const acceptAncestorPackage = Effect.fnUntraced(function*(
  rig: Rig,
  transactions: ReadonlyArray<Transaction>,
  maxFeerate: FeeRate | undefined
): Effect.fn.Return<PackageOutcome, AcceptError> {
  const members = transactions.map((tx) => subjectOf(rig, tx))
  const shape = checkPackage(members)
  if (Result.isFailure(shape)) return misshapen(members, shape.failure)
  const outcomes: Array<TransactionOutcome | undefined> = []
  const left = new Set<number>()
  let failure: PackageOutcome["failure"]
  for (const [number, lineage] of lineages(members).entries()) {
    const alone = yield* acceptAlone(rig, members[number]!, maxFeerate)
    outcomes[number] = alone
    if (alone._tag !== "Rejected") continue
    left.add(number)
    const together = [...left].filter((each) => lineage.has(each))
    if (!mayDoTogether(alone)) failure = TRANSACTION_FAILED
    if (failure !== undefined) break
    if (together.length === 1) continue
    const judged = yield* judgeTogether(
      rig,
      together.map((each) => members[each]!),
      packageManner(rig, maxFeerate),
      false
    )
    for (const [i, each] of together.entries()) {
      outcomes[each] = judged.outcomes[i] ?? outcomes[each]
      if (judged.failure === undefined) left.delete(each)
    }
    const rejected = judged.outcomes.find((each) => each?._tag === "Rejected")
    if (judged.failure !== undefined && (rejected === undefined || !mayDoTogether(rejected))) {
      failure = judged.failure
      break
    }
  }
  if (left.size > 0) failure ??= TRANSACTION_FAILED
  rig.makeRoom()
  return withoutEvicted(rig, members, { failure, outcomes: members.map((_, number) => outcomes[number]) })
})
