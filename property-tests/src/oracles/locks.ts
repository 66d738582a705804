import type { NaiveSpend } from "./spend.ts"

/**
 * BIP65: same kind (height below 500,000,000, else time), not later than the transaction's, and the input not final.
 */
export const lockTimeHolds = (required: bigint, { tx, index }: NaiveSpend): boolean =>
  required < 500_000_000n === tx.lockTime < 500_000_000 &&
  required <= BigInt(tx.lockTime) &&
  tx.inputs[index]!.sequence !== 0xffffffff

const DISABLE = 1n << 31n
const KIND = 1n << 22n

/** BIP112: a disabled requirement holds; else version 2 or more (unsigned), input enabled, same kind, not longer. */
export const relativeLockHolds = (required: bigint, { tx, index }: NaiveSpend): boolean => {
  if ((required & DISABLE) !== 0n) return true
  const sequence = BigInt(tx.inputs[index]!.sequence)
  return (
    tx.version >= 2 &&
    (sequence & DISABLE) === 0n &&
    (sequence & KIND) === (required & KIND) &&
    (required & 0xffffn) <= (sequence & 0xffffn)
  )
}
