import {
  advance,
  bytesEqual,
  compareBytes,
  concatBytes,
  type Cursor,
  cursorOn,
  readCompactSize
} from "@lockstep/kernel/bytes"
import type { Crypto } from "@lockstep/kernel/crypto"

/** What has to be known of a transaction before it is validated. Ids in wire order. */
export interface ScannedTransaction {
  readonly bytes: Uint8Array
  readonly txid: Uint8Array
  readonly wtxid: Uint8Array
  readonly hasWitness: boolean
  readonly weight: number
  readonly inputs: number
  readonly outputs: number
}

/**
 * Passes over the inputs. Answers how many there are. `found` receives the offset of each, where its outpoint begins.
 */
const passInputs = (cursor: Cursor, found: (offset: number) => void = () => {}): number => {
  const count = readCompactSize(cursor)
  for (let i = 0; i < count && cursor.broken === undefined; i++) {
    found(cursor.offset)
    advance(cursor, 36)
    advance(cursor, readCompactSize(cursor))
    advance(cursor, 4)
  }
  return count
}

/** Passes over the outputs. Answers how many there are. */
const passOutputs = (cursor: Cursor): number => {
  const count = readCompactSize(cursor)
  for (let i = 0; i < count && cursor.broken === undefined; i++) {
    advance(cursor, 8)
    advance(cursor, readCompactSize(cursor))
  }
  return count
}

/** Where the count of the inputs stands. */
const inputsStart = (hasWitness: boolean): number => hasWitness ? 6 : 4

/** What a transaction spends: the 36 bytes of each outpoint. */
export const spentOutpoints = ({ bytes, hasWitness }: ScannedTransaction): ReadonlyArray<Uint8Array> => {
  const cursor = cursorOn(bytes)
  advance(cursor, inputsStart(hasWitness))
  const outpoints: Array<Uint8Array> = []
  passInputs(cursor, (offset) => outpoints.push(bytes.subarray(offset, offset + 36)))
  return outpoints
}

/** Whether a transaction spends an output of another. */
export const spendsFrom = (transaction: ScannedTransaction, txid: Uint8Array): boolean =>
  spentOutpoints(transaction).some((outpoint) => bytesEqual(outpoint.subarray(0, 32), txid))

/** Txids of the transactions that one spends outputs of, each once, in raw order. */
export const parentTxids = (transaction: ScannedTransaction): ReadonlyArray<Uint8Array> => {
  const sorted = spentOutpoints(transaction).map((outpoint) => outpoint.subarray(0, 32)).toSorted(compareBytes)
  return sorted.filter((txid, i) => i === 0 || !bytesEqual(txid, sorted[i - 1]!))
}

/**
 * The ids of a transaction, without decoding it: its parts may be so many that they take a hundred times its bytes.
 * Nothing where the bytes are plainly no transaction; validation decides whether they are one.
 */
export const scanTransaction = (bytes: Uint8Array, crypto: Crypto): ScannedTransaction | undefined => {
  if (bytes.length < 10) return undefined
  const hasWitness = bytes[4] === 0 && bytes[5] === 1
  const start = inputsStart(hasWitness)
  const cursor = cursorOn(bytes)
  advance(cursor, start)
  const inputs = passInputs(cursor)
  const outputs = passOutputs(cursor)
  const end = cursor.offset
  if (cursor.broken !== undefined || end + 4 > bytes.length) return undefined
  const wtxid = crypto.sha256d(bytes)
  if (!hasWitness) return { bytes, txid: wtxid, wtxid, hasWitness, weight: 4 * bytes.length, inputs, outputs }
  const plain = concatBytes([bytes.subarray(0, 4), bytes.subarray(start, end), bytes.subarray(bytes.length - 4)])
  const weight = 3 * plain.length + bytes.length
  return { bytes, txid: crypto.sha256d(plain), wtxid, hasWitness, weight, inputs, outputs }
}

const passWitness = (cursor: Cursor, inputs: number): void => {
  for (let i = 0; i < inputs && cursor.broken === undefined; i++) {
    const items = readCompactSize(cursor)
    for (let j = 0; j < items && cursor.broken === undefined; j++) advance(cursor, readCompactSize(cursor))
  }
}

/** Passes over a transaction of `bytes`, which the cursor is on. */
export const passTransaction = (cursor: Cursor, bytes: Uint8Array): void => {
  const start = cursor.offset
  const hasWitness = bytes[start + 4] === 0 && bytes[start + 5] === 1
  advance(cursor, inputsStart(hasWitness))
  const inputs = passInputs(cursor)
  passOutputs(cursor)
  if (hasWitness) passWitness(cursor, inputs)
  advance(cursor, 4)
}

const HEADER_BYTES = 80

/** The bytes of each transaction of a valid block, as views. */
export const transactionsIn = (block: Uint8Array): ReadonlyArray<Uint8Array> => {
  const cursor = cursorOn(block)
  advance(cursor, HEADER_BYTES)
  const count = readCompactSize(cursor)
  const transactions: Array<Uint8Array> = []
  for (let i = 0; i < count && cursor.broken === undefined; i++) {
    const start = cursor.offset
    passTransaction(cursor, block)
    transactions.push(block.subarray(start, cursor.offset))
  }
  return transactions
}
