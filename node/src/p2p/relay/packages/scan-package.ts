import { bytesEqual, cursorOn, readCompactSize } from "@lockstep/kernel/bytes"
import type { Crypto } from "@lockstep/kernel/crypto"
import { passTransaction } from "@lockstep/protocol/wire/pass-transaction.ts"
import { parentTxids, type ScannedTransaction, scanTransaction } from "../scan-transaction.ts"

/** Scans the transactions of `pkgtxns` without decoding them. Precondition: `payload` is a valid message. */
export const scanPackage = (payload: Uint8Array, crypto: Crypto): ReadonlyArray<ScannedTransaction> => {
  const cursor = cursorOn(payload)
  const count = readCompactSize(cursor)
  const transactions: Array<ScannedTransaction> = []
  for (let i = 0; i < count; i++) {
    const { end, start } = passTransaction(cursor)
    const scanned = scanTransaction(payload.subarray(start, end), crypto)
    if (scanned !== undefined) transactions.push(scanned)
  }
  return transactions
}

/** Returns the last transaction and its ancestors in `among`, parents before children. */
export const ancestorsFirst = (
  last: ScannedTransaction,
  among: ReadonlyArray<ScannedTransaction>
): ReadonlyArray<ScannedTransaction> => {
  const sorted: Array<ScannedTransaction> = []
  const seen = new Set<ScannedTransaction>()
  const visit = (transaction: ScannedTransaction): void => {
    if (seen.has(transaction)) return
    seen.add(transaction)
    for (const parent of parentTxids(transaction)) {
      const found = among.find(({ txid }) => bytesEqual(txid, parent))
      if (found !== undefined) visit(found)
    }
    sorted.push(transaction)
  }
  visit(last)
  return sorted
}
