import { fromLittleEndian, join, littleEndian } from "./byte-string.ts"
import { compactSize, readCompactSize } from "./compact-size.ts"
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

export const serializeOutput = (output: NaiveOutput): Uint8Array => join(littleEndian(output.value, 8), lengthPrefixed(output.script))

const serializeInput = (input: NaiveInput): Uint8Array =>
  join(serializeOutPoint(input), lengthPrefixed(input.script), littleEndian(input.sequence, 4))

export const serializeWitness = (witness: ReadonlyArray<Uint8Array>): Uint8Array =>
  join(compactSize(witness.length), ...witness.map(lengthPrefixed))

/** What both forms share: input vector and output vector. */
export const serializeBody = (tx: NaiveTransaction): Uint8Array =>
  join(compactSize(tx.inputs.length), ...tx.inputs.map(serializeInput), compactSize(tx.outputs.length), ...tx.outputs.map(serializeOutput))

export const hasWitness = (tx: NaiveTransaction): boolean => tx.inputs.some((input) => input.witness.length > 0)

export const serializeWithoutWitness = (tx: NaiveTransaction): Uint8Array =>
  join(littleEndian(tx.version, 4), serializeBody(tx), littleEndian(tx.lockTime, 4))

/** Marker 0, flag 1 and the witnesses only when an input has one. */
export const serializeTransaction = (tx: NaiveTransaction): Uint8Array =>
  !hasWitness(tx)
    ? serializeWithoutWitness(tx)
    : join(littleEndian(tx.version, 4), [0, 1], serializeBody(tx), ...tx.inputs.map((i) => serializeWitness(i.witness)), littleEndian(tx.lockTime, 4))

export const transactionId = (tx: NaiveTransaction): Uint8Array => sha256d(serializeWithoutWitness(tx))
export const witnessTransactionId = (tx: NaiveTransaction): Uint8Array => sha256d(serializeTransaction(tx))
export const transactionWeight = (tx: NaiveTransaction): number =>
  3 * serializeWithoutWitness(tx).length + serializeTransaction(tx).length

/** Whether something could be read, with what is left. */
type Read<A> = readonly [A, Uint8Array] | undefined
type Reader<A> = (bytes: Uint8Array) => Read<A>

const fixed = (size: number): Reader<Uint8Array> => (bytes) =>
  bytes.length < size ? undefined : [bytes.subarray(0, size), bytes.subarray(size)]

const unsigned = (size: number): Reader<bigint> => (bytes) => {
  const read = fixed(size)(bytes)
  return read && [fromLittleEndian(read[0]), read[1]]
}

const count: Reader<number> = (bytes) => {
  const read = readCompactSize(bytes)
  return read && [read.value, bytes.subarray(read.size)]
}

const prefixed: Reader<Uint8Array> = (bytes) => {
  const length = count(bytes)
  return length && fixed(length[0])(length[1])
}

const times = <A>(n: number, reader: Reader<A>): Reader<ReadonlyArray<A>> => (bytes) => {
  const values: Array<A> = []
  let rest = bytes
  while (values.length < n) {
    const read = reader(rest)
    if (read === undefined) return undefined
    values.push(read[0])
    rest = read[1]
  }
  return [values, rest]
}

const vector = <A>(reader: Reader<A>): Reader<ReadonlyArray<A>> => (bytes) => {
  const length = count(bytes)
  return length && times(length[0], reader)(length[1])
}

const input: Reader<NaiveInput> = (bytes) => {
  const txid = fixed(32)(bytes)
  const vout = txid && unsigned(4)(txid[1])
  const script = vout && prefixed(vout[1])
  const sequence = script && unsigned(4)(script[1])
  if (!sequence) return undefined
  return [{ txid: txid[0], vout: Number(vout[0]), script: script[0], sequence: Number(sequence[0]), witness: [] }, sequence[1]]
}

const output: Reader<NaiveOutput> = (bytes) => {
  const value = unsigned(8)(bytes)
  const script = value && prefixed(value[1])
  return script && [{ value: BigInt.asIntN(64, value[0]), script: script[0] }, script[1]]
}

/** The transaction at the front of `bytes` with what follows it, or undefined where the encoding is refused. */
export const readTransaction = (bytes: Uint8Array): Read<NaiveTransaction> => {
  const version = unsigned(4)(bytes)
  if (!version) return undefined
  const marked = version[1][0] === 0 && version[1][1] !== 0
  if (marked && version[1][1] !== 1) return undefined
  const inputs = vector(input)(marked ? version[1].subarray(2) : version[1])
  const outputs = inputs && vector(output)(inputs[1])
  if (!outputs) return undefined
  const witnesses = marked ? times(inputs[0].length, vector(prefixed))(outputs[1]) : ([[], outputs[1]] as const)
  const lockTime = witnesses && unsigned(4)(witnesses[1])
  if (!lockTime) return undefined
  if (marked && witnesses[0].every((witness) => witness.length === 0)) return undefined
  const tx: NaiveTransaction = {
    version: Number(version[0]),
    inputs: inputs[0].map((each, i) => ({ ...each, witness: witnesses[0][i] ?? [] })),
    outputs: outputs[0],
    lockTime: Number(lockTime[0])
  }
  return [tx, lockTime[1]]
}

/** A loose transaction: the whole of `bytes`. */
export const parseTransaction = (bytes: Uint8Array): NaiveTransaction | undefined => {
  const read = readTransaction(bytes)
  return read && read[1].length === 0 ? read[0] : undefined
}
