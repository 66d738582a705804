import * as Result from "effect/Result"
import type { HeaderNode } from "../chain/header-node.ts"
import { medianTimePast } from "../chain/median-time.ts"
import type { Transaction } from "../model/transaction.ts"
import { isFinal } from "../tx/lock-time.ts"
import { type SequenceLocks, sequenceLocksArePassed } from "../tx/sequence-locks.ts"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"

export type NotFinalYet = Violation<"POL-075", { readonly lockTime: number }>
export type LockedYet = Violation<"POL-076", SequenceLocks>

/**
 * The block on top of `tip` may hold the transaction, as far as its lock time goes. Always by the median time past, also
 * where blocks are not yet held to it.
 *
 * @spec POL-075 #dcecf58b
 */
export const isFinalOnTip = (tx: Transaction, tip: HeaderNode): Verdict<void, NotFinalYet> =>
  isFinal(tx, tip.height + 1, medianTimePast(tip))
    ? HOLDS
    : Result.fail(violation("POL-075", { lockTime: tx.lockTime }))

/**
 * The block on top of `tip` is past every relative lock. Precondition: TXI-007 has yielded `locks` with unconfirmed
 * coins at the height of that block.
 *
 * @spec POL-076 #0ab13e21
 */
export const sequenceLocksPassOnTip = (locks: SequenceLocks, tip: HeaderNode): Verdict<void, LockedYet> =>
  Result.isFailure(sequenceLocksArePassed(locks, tip)) ? Result.fail(violation("POL-076", locks)) : HOLDS
