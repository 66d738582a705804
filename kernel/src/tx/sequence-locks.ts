import type { Height } from "../quantities.ts"
import * as Result from "effect/Result"
import {
  SEQUENCE_LOCKTIME_DISABLE_FLAG,
  SEQUENCE_LOCKTIME_GRANULARITY,
  SEQUENCE_LOCKTIME_MASK,
  SEQUENCE_LOCKTIME_TYPE_FLAG
} from "../constants.ts"
import { medianTimePast } from "../chain/median-time.ts"
import { ancestorAt, type HeaderNode } from "../chain/header-node.ts"
import type { Transaction } from "../model/transaction.ts"
import type { Coin } from "../utxo/coin.ts"
import { HOLDS, type Verdict, type Violation, violation } from "../verdict.ts"

/**
 * The last height and the last median time past at which the locks still hold a transaction back; −1 if no lock does.
 */
export interface SequenceLocks {
  readonly height: Height
  readonly time: number
}

export type LockedBySequence = Violation<"TXI-008", SequenceLocks>

/**
 * Sequence locks: what the relative locks of a transaction (BIP68) ask of the block on top of `parent`.
 *
 * A height lock counts from the coin's block; a time lock from the median time past of the block before it. Versions
 * below 2, unsigned, have no locks. Precondition: one coin per input, all of them created on `parent`'s chain or in the
 * block itself.
 *
 * @spec TXI-007 #27947a22
 */
export const sequenceLocks = (tx: Transaction, coins: ReadonlyArray<Coin>, parent: HeaderNode): SequenceLocks => {
  let height = -1
  let time = -1
  if (tx.version < 2) return { height, time }
  for (let i = 0; i < tx.inputs.length; i++) {
    const { sequence } = tx.inputs[i]!
    if (sequence >= SEQUENCE_LOCKTIME_DISABLE_FLAG) continue
    const amount = sequence & SEQUENCE_LOCKTIME_MASK
    const coinHeight = coins[i]!.height
    if ((sequence & SEQUENCE_LOCKTIME_TYPE_FLAG) === 0) {
      height = Math.max(height, coinHeight + amount - 1)
    } else {
      const before = ancestorAt(parent, Math.max(coinHeight - 1, 0))!
      time = Math.max(time, medianTimePast(before) + (amount << SEQUENCE_LOCKTIME_GRANULARITY) - 1)
    }
  }
  return { height, time }
}

/**
 * The block on top of `parent` is past every relative lock of a transaction in it.
 *
 *     locks.height < height ∧ locks.time < medianTimePast(parent)
 *
 * @spec TXI-008 #25815952
 */
export const sequenceLocksArePassed = (locks: SequenceLocks, parent: HeaderNode): Verdict<void, LockedBySequence> =>
  locks.height >= parent.height + 1 || (locks.time >= 0 && locks.time >= medianTimePast(parent))
    ? Result.fail(violation("TXI-008", locks))
    : HOLDS
