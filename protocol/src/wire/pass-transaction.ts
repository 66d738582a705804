import { advance, type Cursor, readCompactSize, readUint8 } from "@lockstep/kernel/bytes"
import { violation } from "@lockstep/kernel/verdict"

/** Offsets of a transaction's parts in its bytes. Meaningless if the cursor is broken afterwards. */
export interface TransactionLayout {
  readonly start: number
  /** Offset of the count of inputs. */
  readonly inputsStart: number
  readonly hasWitness: boolean
  readonly inputs: number
  readonly outputs: number
  /** Offset of the end of the outputs. */
  readonly bodyEnd: number
  readonly end: number
}

/** Skips the inputs. Returns their number. `found` receives the offset of each, where its outpoint begins. */
export const passInputs = (cursor: Cursor, found?: (offset: number) => void): number => {
  const count = readCompactSize(cursor)
  for (let i = 0; i < count && cursor.broken === undefined; i++) {
    found?.(cursor.offset)
    advance(cursor, 36)
    advance(cursor, readCompactSize(cursor))
    advance(cursor, 4)
  }
  return count
}

const passOutputs = (cursor: Cursor): number => {
  const count = readCompactSize(cursor)
  for (let i = 0; i < count && cursor.broken === undefined; i++) {
    advance(cursor, 8)
    advance(cursor, readCompactSize(cursor))
  }
  return count
}

/** Skips the witnesses. Returns the number of their items. */
const passWitnesses = (cursor: Cursor, inputs: number): number => {
  let all = 0
  for (let i = 0; i < inputs && cursor.broken === undefined; i++) {
    const items = readCompactSize(cursor)
    for (let j = 0; j < items && cursor.broken === undefined; j++) advance(cursor, readCompactSize(cursor))
    all += items
  }
  return all
}

/**
 * Skips a transaction without decoding it, since its parts may be so many that they take a hundred times its bytes. It
 * breaks the cursor for the same bytes as the kernel's `readTransaction` (SER-010 to SER-012).
 */
export const passTransaction = (cursor: Cursor): TransactionLayout => {
  const start = cursor.offset
  advance(cursor, 4)
  let inputsStart = cursor.offset
  let inputs = passInputs(cursor)
  let outputs = 0
  let flag = 0
  if (inputs > 0) {
    outputs = passOutputs(cursor)
  } else {
    flag = readUint8(cursor)
    if (flag !== 0) {
      inputsStart = cursor.offset
      inputs = passInputs(cursor)
      outputs = passOutputs(cursor)
    }
  }
  const bodyEnd = cursor.offset
  const items = (flag & 1) === 0 ? 0 : passWitnesses(cursor, inputs)
  if (cursor.broken === undefined && (flag & 1) === 1 && items === 0) {
    cursor.broken = violation("SER-011", { offset: start })
  }
  if (cursor.broken === undefined && flag > 1) cursor.broken = violation("SER-012", { offset: start + 5 })
  advance(cursor, 4)
  return { start, inputsStart, hasWitness: flag !== 0, inputs, outputs, bodyEnd, end: cursor.offset }
}

/** Skips transactions and the count before them. */
export const passTransactions = (cursor: Cursor): void => {
  const count = readCompactSize(cursor)
  for (let i = 0; i < count && cursor.broken === undefined; i++) passTransaction(cursor)
}
