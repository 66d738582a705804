import * as Result from "effect/Result"
import { bytesEqual, compareBytes, concatBytes } from "../bytes/equal.ts"
import type { Crypto } from "../crypto/crypto.ts"
import { transactionWeight } from "../model/weight.ts"
import type { OutPoint, Transaction } from "../model/transaction.ts"
import type { Hash, Weight } from "../quantities.ts"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"
import { MAX_PACKAGE_COUNT, MAX_PACKAGE_WEIGHT } from "./constants.ts"

/** A transaction of a package with its id. */
export interface PackageMember {
  readonly tx: Transaction
  readonly txid: Hash
}

export type PackageTooMany = Violation<"POL-140", { readonly count: number }>
export type PackageTooHeavy = Violation<"POL-141", { readonly weight: Weight }>
export type PackageHasDuplicates = Violation<"POL-142", { readonly member: number }>
export type PackageIsUnsorted = Violation<"POL-143", { readonly member: number }>
export type PackageConflicts = Violation<"POL-144", { readonly member: number }>
export type NotChildWithParents = Violation<"POL-146", null>
export type ParentsDependOnEachOther = Violation<"POL-147", null>

const spendsFrom = (tx: Transaction, txid: Hash): boolean =>
  tx.inputs.some(({ prevout }) => bytesEqual(prevout.txid, txid))

/**
 * Returns the first member for which `isWrong` holds, or −1. A package is short, so each may be compared with all
 * others.
 */
const firstMember = (
  members: ReadonlyArray<PackageMember>,
  isWrong: (member: PackageMember, i: number) => boolean
): number => members.findIndex(isWrong)

/**
 * A package has at most 25 transactions.
 *
 * @spec POL-140 #60203a88
 */
export const packageCountIsSmall = (count: number): Verdict<void, PackageTooMany> =>
  count <= MAX_PACKAGE_COUNT ? HOLDS : Result.fail(violation("POL-140", { count }))

/**
 * More than one transaction together weigh at most 404,000. A single one is judged by POL-031 alone.
 *
 * @spec POL-141 #d99bbef9
 */
export const packageWeightIsSmall = (count: number, weight: Weight): Verdict<void, PackageTooHeavy> =>
  count <= 1 || weight <= MAX_PACKAGE_WEIGHT ? HOLDS : Result.fail(violation("POL-141", { weight }))

/**
 * No two members have the same id. Precondition: POL-140.
 *
 * @spec POL-142 #ebf1244d
 */
export const packageHasNoDuplicates = (members: ReadonlyArray<PackageMember>): Verdict<void, PackageHasDuplicates> => {
  const member = firstMember(
    members,
    ({ txid }, i) => members.slice(0, i).some((earlier) => bytesEqual(earlier.txid, txid))
  )
  return member < 0 ? HOLDS : Result.fail(violation("POL-142", { member }))
}

/**
 * Parents precede their children. Precondition: POL-140.
 *
 * @spec POL-143 #0e1c3ae2
 */
export const packageIsSorted = (members: ReadonlyArray<PackageMember>): Verdict<void, PackageIsUnsorted> => {
  const member = firstMember(members, ({ tx }, i) => members.slice(i + 1).some(({ txid }) => spendsFrom(tx, txid)))
  return member < 0 ? HOLDS : Result.fail(violation("POL-143", { member }))
}

const samePrevout = (a: OutPoint, b: OutPoint): boolean => a.vout === b.vout && bytesEqual(a.txid, b.txid)

const spendsSame = (a: Transaction, b: Transaction): boolean =>
  a.inputs.some(({ prevout }) => b.inputs.some((other) => samePrevout(prevout, other.prevout)))

/**
 * No two members spend the same output, and every member spends one. Precondition: POL-140.
 *
 * @spec POL-144 #190083c7
 */
export const packageHasNoConflicts = (members: ReadonlyArray<PackageMember>): Verdict<void, PackageConflicts> => {
  const member = firstMember(
    members,
    ({ tx }, i) => tx.inputs.length === 0 || members.slice(0, i).some((earlier) => spendsSame(earlier.tx, tx))
  )
  return member < 0 ? HOLDS : Result.fail(violation("POL-144", { member }))
}

/**
 * Checks a package alone.
 *
 * @spec POL-145 #242b0fe3
 */
export const checkPackage = (members: ReadonlyArray<PackageMember>): Verdict<void, Violation> => {
  const few = packageCountIsSmall(members.length)
  if (Result.isFailure(few)) return few
  const light = packageWeightIsSmall(members.length, members.reduce((sum, { tx }) => sum + transactionWeight(tx), 0))
  if (Result.isFailure(light)) return light
  for (const rule of [packageHasNoDuplicates, packageIsSorted, packageHasNoConflicts]) {
    const verdict: Verdict<void, Violation> = rule(members)
    if (Result.isFailure(verdict)) return verdict
  }
  return HOLDS
}

/**
 * The last member spends from every other one. Not all of its parents need to be members. Precondition: more than one
 * member.
 *
 * @spec POL-146 #bf776a64
 */
export const packageIsChildWithParents = (
  members: ReadonlyArray<PackageMember>
): Verdict<void, NotChildWithParents> => {
  const child = members[members.length - 1]!.tx
  return members.slice(0, -1).every(({ txid }) => spendsFrom(child, txid))
    ? HOLDS
    : Result.fail(violation("POL-146", null))
}

/**
 * No parent spends from another one.
 *
 * @spec POL-147 #c217725e
 */
export const parentsAreIndependent = (
  members: ReadonlyArray<PackageMember>
): Verdict<void, ParentsDependOnEachOther> => {
  const parents = members.slice(0, -1)
  return parents.every(({ tx }) => parents.every(({ txid }) => !spendsFrom(tx, txid)))
    ? HOLDS
    : Result.fail(violation("POL-147", null))
}

/**
 * The id of a package, whatever its order: one SHA-256 over the wtxids, ascending as they are shown, written in wire
 * order.
 *
 * @spec POL-148 #e646d00d
 */
export const packageHash = (wtxids: ReadonlyArray<Hash>, crypto: Crypto): Hash => {
  const shown = wtxids.map((wtxid) => ({ wtxid, display: new Uint8Array(wtxid).reverse() }))
  shown.sort((a, b) => compareBytes(a.display, b.display))
  return crypto.sha256(concatBytes(shown.map(({ wtxid }) => wtxid)))
}
