import { advance, bytesEqual, compareBytes, concatBytes, cursorOn, readCompactSize } from "@lockstep/kernel/bytes"
import type { Crypto } from "@lockstep/kernel/crypto"
import { passInputs, passTransaction } from "@lockstep/protocol/wire/pass-transaction.ts"

/** A transaction with the facts that are needed before validation. Ids are in wire order. */
export interface ScannedTransaction {
  readonly bytes: Uint8Array
  readonly txid: Uint8Array
  readonly wtxid: Uint8Array
  readonly hasWitness: boolean
  readonly weight: number
  readonly inputs: number
  readonly outputs: number
}

/** Returns the 36 bytes of each outpoint that a transaction spends. */
export const spentOutpoints = ({ bytes, hasWitness }: ScannedTransaction): ReadonlyArray<Uint8Array> => {
  const cursor = cursorOn(bytes)
  // Skips the version, and the marker and the flag.
  advance(cursor, hasWitness ? 6 : 4)
  const outpoints: Array<Uint8Array> = []
  passInputs(cursor, (offset) => outpoints.push(bytes.subarray(offset, offset + 36)))
  return outpoints
}

/** True if a transaction spends an output of another. */
export const spendsFrom = (transaction: ScannedTransaction, txid: Uint8Array): boolean =>
  spentOutpoints(transaction).some((outpoint) => bytesEqual(outpoint.subarray(0, 32), txid))

/** Returns the distinct txids of a transaction's parents, sorted in wire order. */
export const parentTxids = (transaction: ScannedTransaction): ReadonlyArray<Uint8Array> => {
  const sorted = spentOutpoints(transaction).map((outpoint) => outpoint.subarray(0, 32)).toSorted(compareBytes)
  return sorted.filter((txid, i) => i === 0 || !bytesEqual(txid, sorted[i - 1]!))
}

/**
 * Scans the transaction at the start of `payload` without decoding it, as its many parts could take a hundred times its
 * bytes. Returns `undefined` if it is malformed. Bytes behind it are ignored, as in Bitcoin Core.
 */
export const scanTransaction = (payload: Uint8Array, crypto: Crypto): ScannedTransaction | undefined => {
  const cursor = cursorOn(payload)
  const { bodyEnd, end, hasWitness, inputs, inputsStart, outputs } = passTransaction(cursor)
  if (cursor.broken !== undefined) return undefined
  const bytes = end === payload.length ? payload : payload.subarray(0, end)
  const wtxid = crypto.sha256d(bytes)
  if (!hasWitness) return { bytes, txid: wtxid, wtxid, hasWitness, weight: 4 * bytes.length, inputs, outputs }
  const plain = concatBytes([bytes.subarray(0, 4), bytes.subarray(inputsStart, bodyEnd), bytes.subarray(end - 4)])
  const weight = 3 * plain.length + bytes.length
  return { bytes, txid: crypto.sha256d(plain), wtxid, hasWitness, weight, inputs, outputs }
}

const HEADER_BYTES = 80

/** Returns the bytes of each transaction of a valid block, as views. */
export const transactionsIn = (block: Uint8Array): ReadonlyArray<Uint8Array> => {
  const cursor = cursorOn(block)
  advance(cursor, HEADER_BYTES)
  const count = readCompactSize(cursor)
  const transactions: Array<Uint8Array> = []
  for (let i = 0; i < count && cursor.broken === undefined; i++) {
    const start = cursor.offset
    passTransaction(cursor)
    transactions.push(block.subarray(start, cursor.offset))
  }
  return transactions
}
