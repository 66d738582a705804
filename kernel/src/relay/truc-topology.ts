import * as Result from "effect/Result"
import { bytesEqual } from "../bytes/equal.ts"
import type { Hash } from "../quantities.ts"
import { HOLDS, type Verdict, type Violation } from "../verdict.ts"
import { TRUC_VERSION } from "./constants.ts"
import {
  trucAncestorsAreFew,
  trucChildIsSmall,
  trucDescendantsAreFew,
  trucIsInherited,
  trucIsSmall,
  type TrucTransaction
} from "./truc.ts"

/** A descendant in the pool, with the number of its ancestors, itself counted. */
export interface PooledDescendant {
  readonly txid: Hash
  readonly ancestors: number
}

/** A parent in the pool. `ancestors` counts the parent itself; `descendants` are all of them, without it. */
export interface PooledParent extends TrucTransaction {
  readonly ancestors: number
  readonly descendants: ReadonlyArray<PooledDescendant>
}

/** A transaction of a package: its size in virtual bytes, signature operations included, and the ids it spends from. */
export interface TrucMember extends TrucTransaction {
  readonly size: number
  readonly spends: ReadonlyArray<Hash>
}

const includes = (ids: ReadonlyArray<Hash>, id: Hash): boolean => ids.some((each) => bytesEqual(each, id))

/** Reports whether a descendant of the parent is among the transactions replaced anyway. */
const loses = (parent: PooledParent, conflicts: ReadonlyArray<Hash>): boolean =>
  parent.descendants.some(({ txid }) => includes(conflicts, txid))

/**
 * Returns the transaction that a child of `parent` may replace although the two share no input: its only descendant, if
 * that has no other ancestor. Returns `undefined` without such a descendant.
 *
 * @spec POL-097 #3f61f912
 */
export const evictableSibling = (parent: PooledParent): Hash | undefined => {
  const [only] = parent.descendants
  return only !== undefined && parent.descendants.length === 1 && only.ancestors === 2 ? only.txid : undefined
}

const inheritsFromAll = (tx: TrucTransaction, parents: ReadonlyArray<TrucTransaction>): Verdict<void, Violation> => {
  for (const parent of parents) {
    const inherited = trucIsInherited(tx, parent)
    if (Result.isFailure(inherited)) return inherited
  }
  return HOLDS
}

/**
 * Checks a single transaction by BIP431: `parents` are those in the pool, ascending by txid in wire order, `conflicts`
 * the pool's transactions that spend the same outputs. After a failure of POL-094, POL-097 says whether the sibling can
 * be replaced instead.
 *
 * @spec POL-095 #fcd88612
 */
export const checkTruc = (
  tx: TrucTransaction,
  size: number,
  parents: ReadonlyArray<PooledParent>,
  conflicts: ReadonlyArray<Hash>
): Verdict<void, Violation> => {
  const inherited = inheritsFromAll(tx, parents)
  if (Result.isFailure(inherited)) return inherited
  if (tx.version !== TRUC_VERSION) return HOLDS
  const small = trucIsSmall(tx, size)
  if (Result.isFailure(small)) return small
  const [parent] = parents
  if (parent === undefined) return HOLDS
  const few = trucAncestorsAreFew(tx, parents.length > 1 ? parents.length + 1 : parent.ancestors + 1)
  if (Result.isFailure(few)) return few
  const smallChild = trucChildIsSmall(tx, size)
  if (Result.isFailure(smallChild)) return smallChild
  return loses(parent, conflicts) ? HOLDS : trucDescendantsAreFew(parent, parent.descendants.length + 2)
}

/** No other member spends from the parent, and no member spends from `tx`, in order of members. */
const standsAlone = (
  tx: TrucMember,
  parent: TrucTransaction,
  members: ReadonlyArray<TrucMember>
): Verdict<void, Violation> => {
  for (const member of members) {
    if (bytesEqual(member.txid, tx.txid)) continue
    for (const id of member.spends) {
      const single = trucDescendantsAreFew(parent, bytesEqual(id, parent.txid) ? 3 : 2)
      if (Result.isFailure(single)) return single
      const childless = trucAncestorsAreFew(member, bytesEqual(id, tx.txid) ? 3 : 2)
      if (Result.isFailure(childless)) return childless
    }
  }
  return HOLDS
}

const checkTrucMember = (
  tx: TrucMember,
  pooled: ReadonlyArray<PooledParent>,
  packaged: ReadonlyArray<TrucMember>,
  members: ReadonlyArray<TrucMember>
): Verdict<void, Violation> => {
  const small = trucIsSmall(tx, tx.size)
  if (Result.isFailure(small)) return small
  const [inPool] = pooled
  const above = pooled.length > 1 ? pooled.length : inPool?.ancestors ?? 0
  const few = trucAncestorsAreFew(tx, above + packaged.length + 1)
  if (Result.isFailure(few)) return few
  const parent = inPool ?? packaged[0]
  if (parent === undefined) return HOLDS
  const smallChild = trucChildIsSmall(tx, tx.size)
  if (Result.isFailure(smallChild)) return smallChild
  const inherited = trucIsInherited(tx, parent)
  if (Result.isFailure(inherited)) return inherited
  const alone = standsAlone(tx, parent, members)
  return Result.isFailure(alone) ? alone : trucDescendantsAreFew(parent, (inPool?.descendants.length ?? 0) + 2)
}

/**
 * Checks a member of a package by BIP431, besides POL-095. `pooled` are its parents in the pool, `members` the whole
 * package, parents first. Nothing is replaced inside a package, so every relative counts.
 *
 * @spec POL-096 #c4ccbb28
 */
export const checkPackageTruc = (
  tx: TrucMember,
  pooled: ReadonlyArray<PooledParent>,
  members: ReadonlyArray<TrucMember>
): Verdict<void, Violation> => {
  const before = members.slice(0, members.findIndex(({ txid }) => bytesEqual(txid, tx.txid)))
  const packaged = before.filter(({ txid }) => includes(tx.spends, txid))
  return tx.version === TRUC_VERSION
    ? checkTrucMember(tx, pooled, packaged, members)
    : inheritsFromAll(tx, [...pooled, ...packaged])
}
