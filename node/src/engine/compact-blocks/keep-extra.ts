import type { Crypto } from "@lockstep/kernel/crypto"
import { decodeTransaction, type Transaction, witnessTransactionId } from "@lockstep/kernel/model"
import * as Result from "effect/Result"
import type { TransactionOrigin, TransactionOutcome } from "../api/mempool-calls.ts"
import { transactionUsage } from "../txmempool/memory-usage.ts"
import type { ExtraTransactions } from "../state/extra-transactions.ts"

/** Memory use, as Bitcoin Core counts it, from which a rejected transaction is not kept. */
const MOST_USAGE = 100_000

interface Keeping {
  readonly crypto: Crypto
  readonly extra: ExtraTransactions
}

/**
 * Keeps transactions that compact blocks may contain although the mempool does not hold them. From peers these are
 * transactions rejected at first sight (orphans included), and those that an accepted one replaced. One whose witness
 * was stripped is not kept.
 */
export const keepExtra = (
  { crypto, extra }: Keeping,
  tx: Transaction,
  outcome: TransactionOutcome,
  origin: TransactionOrigin | undefined
): void => {
  if (origin === undefined) return
  if (outcome._tag === "Accepted") {
    for (const { bytes } of outcome.replaced) {
      const replaced = Result.getOrThrow(decodeTransaction(bytes))
      extra.add({ wtxid: witnessTransactionId(replaced, crypto), bytes })
    }
    return
  }
  const isRefused = outcome._tag === "Rejected" && outcome.rejection.what !== "witness stripped"
  if (!isRefused || origin !== "first sight" || transactionUsage(tx) >= MOST_USAGE) return
  extra.add({ wtxid: outcome.wtxid, bytes: tx.bytes })
}
