import { join, littleEndian } from "./byte-string.ts"
import { compactSize } from "./compact-size.ts"
import { sha256d } from "./hash.ts"

export interface NaiveInput {
  readonly txid: Uint8Array
  readonly vout: number
  readonly script: Uint8Array
  readonly sequence: number
  readonly witness: ReadonlyArray<Uint8Array>
}

export interface NaiveOutput {
  readonly value: bigint
  readonly script: Uint8Array
}

/** `version` and `lockTime` are uint32. */
export interface NaiveTransaction {
  readonly version: number
  readonly inputs: ReadonlyArray<NaiveInput>
  readonly outputs: ReadonlyArray<NaiveOutput>
  readonly lockTime: number
}

export const lengthPrefixed = (bytes: Uint8Array): Uint8Array => join(compactSize(bytes.length), bytes)

export const serializeOutPoint = (input: NaiveInput): Uint8Array => join(input.txid, littleEndian(input.vout, 4))

export const serializeOutput = (output: NaiveOutput): Uint8Array =>
  join(littleEndian(output.value, 8), lengthPrefixed(output.script))

const serializeInput = (input: NaiveInput): Uint8Array =>
  join(serializeOutPoint(input), lengthPrefixed(input.script), littleEndian(input.sequence, 4))

export const serializeWitness = (witness: ReadonlyArray<Uint8Array>): Uint8Array =>
  join(compactSize(witness.length), ...witness.map(lengthPrefixed))

/** What both forms share: input vector and output vector. */
export const serializeBody = (tx: NaiveTransaction): Uint8Array =>
  join(
    compactSize(tx.inputs.length),
    ...tx.inputs.map(serializeInput),
    compactSize(tx.outputs.length),
    ...tx.outputs.map(serializeOutput)
  )

export const hasWitness = (tx: NaiveTransaction): boolean => tx.inputs.some((input) => input.witness.length > 0)

export const serializeWithoutWitness = (tx: NaiveTransaction): Uint8Array =>
  join(littleEndian(tx.version, 4), serializeBody(tx), littleEndian(tx.lockTime, 4))

/** Marker 0, flag 1 and the witnesses only when an input has one. */
export const serializeTransaction = (tx: NaiveTransaction): Uint8Array =>
  !hasWitness(tx)
    ? serializeWithoutWitness(tx)
    : join(
      littleEndian(tx.version, 4),
      [0, 1],
      serializeBody(tx),
      ...tx.inputs.map((i) => serializeWitness(i.witness)),
      littleEndian(tx.lockTime, 4)
    )

export const transactionId = (tx: NaiveTransaction): Uint8Array => sha256d(serializeWithoutWitness(tx))
export const witnessTransactionId = (tx: NaiveTransaction): Uint8Array => sha256d(serializeTransaction(tx))
export const transactionWeight = (tx: NaiveTransaction): number =>
  3 * serializeWithoutWitness(tx).length + serializeTransaction(tx).length
