import { advance, bytesEqual, cursorOn, readCompactSize } from "@lockstep/kernel/bytes"
import type { Crypto } from "@lockstep/kernel/crypto"
import { LIMITS } from "@lockstep/protocol/wire/limits.ts"
import { parentTxids, passTransaction, type ScannedTransaction, scanTransaction } from "../relay/scan-transaction.ts"

/**
 * The transactions of `pkgtxns`, without decoding them; none: the payload is no such list, or has bytes behind it.
 */
export const scanPackage = (payload: Uint8Array, crypto: Crypto): ReadonlyArray<ScannedTransaction> | undefined => {
  const cursor = cursorOn(payload)
  const count = readCompactSize(cursor)
  if (cursor.broken !== undefined || count > LIMITS.packageRequest.most) return undefined
  const transactions: Array<ScannedTransaction> = []
  for (let i = 0; i < count; i++) {
    const start = cursor.offset
    passTransaction(cursor, payload)
    const scanned = cursor.broken === undefined
      ? scanTransaction(payload.subarray(start, cursor.offset), crypto)
      : undefined
    if (scanned === undefined) return undefined
    transactions.push(scanned)
  }
  return advance(cursor, 1) < 0 ? transactions : undefined
}

/** Those of `among` that the last transaction descends from, and itself: parents before their children. */
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
