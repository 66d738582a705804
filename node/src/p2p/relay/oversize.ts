import { LIMITS } from "@lockstep/protocol/wire/limits.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"
import type { ScannedTransaction } from "./scan-transaction.ts"

/** Computes the bytes without witness from the weight and the size. */
const strippedBytes = ({ bytes: { length }, weight }: ScannedTransaction): number => (weight - length) / 3

/**
 * Returns the reject reason of a transaction that is invalid, or nonstandard, by its size alone. Such a transaction is
 * never decoded: its parts may take a hundred times its bytes.
 */
export const oversizeReason = (transaction: ScannedTransaction, takesNonStandard: boolean): string | undefined => {
  if (strippedBytes(transaction) > LIMITS.unconfirmedTransaction.most) return "bad-txns-oversize"
  return transaction.weight > RELAY_LIMITS.weight.most && !takesNonStandard ? "tx-size" : undefined
}
