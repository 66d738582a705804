import * as Result from "effect/Result"
import { readCompactSize } from "../bytes/compact-size.ts"
import {
  type Cursor,
  cursorOn,
  type MalformedBytes,
  nothingFollows,
  readBytes,
  readInt64,
  readUint32,
  readUint8
} from "../bytes/cursor.ts"
import { HOLDS, type Verdict, violation } from "../verdict.ts"
import type { Bytes } from "../quantities.ts"
import type { Transaction, TransactionInput, TransactionOutput } from "./transaction.ts"

const NO_WITNESS: ReadonlyArray<Uint8Array> = []

/** An input as it is being read: the witness comes after all outputs. */
type InputBeingRead = { -readonly [K in keyof TransactionInput]: TransactionInput[K] }

const readInputs = (cursor: Cursor): Array<InputBeingRead> => {
  const count = readCompactSize(cursor)
  const inputs: Array<InputBeingRead> = []
  for (let i = 0; i < count && cursor.broken === undefined; i++) {
    const txid = readBytes(cursor, 32)
    const vout = readUint32(cursor)
    const script = readBytes(cursor, readCompactSize(cursor))
    inputs.push({ prevout: { txid, vout }, script, sequence: readUint32(cursor), witness: NO_WITNESS })
  }
  return inputs
}

const readOutputs = (cursor: Cursor): Array<TransactionOutput> => {
  const count = readCompactSize(cursor)
  const outputs: Array<TransactionOutput> = []
  for (let i = 0; i < count && cursor.broken === undefined; i++) {
    const value = readInt64(cursor)
    outputs.push({ value, script: readBytes(cursor, readCompactSize(cursor)) })
  }
  return outputs
}

const readWitness = (cursor: Cursor): ReadonlyArray<Uint8Array> => {
  const count = readCompactSize(cursor)
  const items: Array<Uint8Array> = []
  for (let i = 0; i < count && cursor.broken === undefined; i++) items.push(readBytes(cursor, readCompactSize(cursor)))
  return items
}

/**
 * The witness form is used only where some input has a witness: otherwise one transaction would have two
 * serializations.
 *
 *     ∃ i. inputs[i].witness ≠ ⟨⟩
 *
 * @spec SER-011 #8e5c5a38
 */
export const witnessIsNotSuperfluous = (inputs: ReadonlyArray<TransactionInput>): Verdict<void, MalformedBytes> => {
  for (const input of inputs) if (input.witness.length > 0) return HOLDS
  return Result.fail(violation("SER-011", { offset: 0 }))
}

/**
 * The flag byte after the zero marker announces a witness and nothing else.
 *
 *     flag = 1
 *
 * @spec SER-012 #3adc6f67
 */
export const optionalDataIsKnown = (flag: number): Verdict<void, MalformedBytes> =>
  flag === 1 ? HOLDS : Result.fail(violation("SER-012", { offset: 5 }))

const breakAt = (cursor: Cursor, start: number, verdict: Verdict<void, MalformedBytes>): void => {
  if (cursor.broken !== undefined || Result.isSuccess(verdict)) return
  cursor.broken = violation(verdict.failure.rule, { offset: start + verdict.failure.detail.offset })
}

/**
 * Reads one transaction, in either form, at the cursor. The result is meaningless if the cursor is broken afterwards.
 *
 * A count of zero inputs is the marker of the witness form; after it, flag 0 means a transaction with neither inputs
 * nor outputs. Witness bits are read before unknown ones are refused.
 *
 * @spec SER-010 #a89b9d51
 */
export const readTransaction = (cursor: Cursor): Transaction => {
  const start = cursor.offset
  const version = readUint32(cursor)
  let bodyStart = cursor.offset
  let inputs = readInputs(cursor)
  let outputs: Array<TransactionOutput> = []
  let flag = 0
  if (inputs.length > 0) {
    outputs = readOutputs(cursor)
  } else {
    flag = readUint8(cursor)
    if (flag !== 0) {
      bodyStart = cursor.offset
      inputs = readInputs(cursor)
      outputs = readOutputs(cursor)
    }
  }
  const bodyEnd = cursor.offset
  if ((flag & 1) !== 0) {
    for (const input of inputs) input.witness = readWitness(cursor)
    breakAt(cursor, start, witnessIsNotSuperfluous(inputs))
  }
  if (flag !== 0) breakAt(cursor, start, optionalDataIsKnown(flag))
  const lockTime = readUint32(cursor)
  return {
    bytes: cursor.bytes.subarray(start, cursor.offset),
    body: cursor.bytes.subarray(bodyStart, bodyEnd),
    hasWitness: flag !== 0,
    version,
    inputs,
    outputs,
    lockTime
  }
}

/**
 * Decodes a transaction outside a block: the layout, and not a byte more.
 *
 * @spec SER-014 #b37c4b81
 */
export const decodeTransaction = (bytes: Bytes): Verdict<Transaction, MalformedBytes> => {
  const cursor = cursorOn(bytes)
  const tx = readTransaction(cursor)
  const end = nothingFollows(cursor)
  return Result.isFailure(end) ? Result.fail(end.failure) : Result.succeed(tx)
}

/**
 * The transaction in the form that has no witness: version, inputs, outputs, lock time. A fresh array where the
 * transaction has a witness, otherwise the view it was decoded from.
 *
 * @spec SER-013 #6104ed0c
 */
export const encodeWithoutWitness = (tx: Transaction): Bytes => {
  if (!tx.hasWitness) return tx.bytes
  const size = tx.bytes.length
  const stripped = new Uint8Array(8 + tx.body.length)
  stripped.set(tx.bytes.subarray(0, 4))
  stripped.set(tx.body, 4)
  stripped.set(tx.bytes.subarray(size - 4), 4 + tx.body.length)
  return stripped
}
