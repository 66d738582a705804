import { join, littleEndian } from "./byte-string.ts"
import { compactSize } from "./compact-size.ts"
import { sha256, sha256d, taggedHash } from "./hash.ts"
import { instructionsOf } from "./instructions.ts"
import {
  lengthPrefixed,
  type NaiveOutput,
  type NaiveTransaction,
  serializeOutPoint,
  serializeOutput,
  serializeWithoutWitness
} from "./transaction.ts"

const NONE = 2
const SINGLE = 3
const NOTHING = new Uint8Array(0)

/** `script` without its OP_CODESEPARATOR (171) instructions. */
export const withoutSeparators = (script: Uint8Array): Uint8Array => {
  const { instructions, rest } = instructionsOf(script)
  const kept = instructions.filter(({ opcode }) => opcode !== 171).map(({ start, end }) => script.subarray(start, end))
  return join(...kept, script.subarray(rest))
}

/** The edited copy of the transaction that an original signature signs, with its hash type, hashed twice. */
export const legacySighash = (
  tx: NaiveTransaction,
  index: number,
  scriptCode: Uint8Array,
  hashType: number
): Uint8Array => {
  const kind = hashType & 0x1f
  const anyoneCanPay = (hashType & 0x80) !== 0
  // The number one, least significant byte first, where there is no input, or SINGLE has no output to sign.
  if (index >= tx.inputs.length || (kind === SINGLE && index >= tx.outputs.length)) return littleEndian(1, 32)
  const inputs = tx.inputs.map((input, i) => ({
    ...input,
    script: i === index ? withoutSeparators(scriptCode) : NOTHING,
    sequence: i !== index && (kind === NONE || kind === SINGLE) ? 0 : input.sequence
  }))
  const outputs = kind === NONE
    ? []
    : kind === SINGLE
    ? tx.outputs.slice(0, index + 1).map((output, i) => (i === index ? output : { value: -1n, script: NOTHING }))
    : tx.outputs
  const copy = { ...tx, inputs: anyoneCanPay ? [inputs[index]!] : inputs, outputs }
  return sha256d(join(serializeWithoutWitness(copy), littleEndian(hashType, 4)))
}

/** BIP143. */
export const witnessV0Sighash = (
  tx: NaiveTransaction,
  index: number,
  scriptCode: Uint8Array,
  amount: bigint,
  hashType: number
): Uint8Array => {
  const kind = hashType & 0x1f
  const anyoneCanPay = (hashType & 0x80) !== 0
  const zero = new Uint8Array(32)
  const input = tx.inputs[index]!
  const hashPrevouts = anyoneCanPay ? zero : sha256d(join(...tx.inputs.map(serializeOutPoint)))
  const hashSequence = anyoneCanPay || kind === SINGLE || kind === NONE
    ? zero
    : sha256d(join(...tx.inputs.map((each) => littleEndian(each.sequence, 4))))
  const hashOutputs = kind !== SINGLE && kind !== NONE
    ? sha256d(join(...tx.outputs.map(serializeOutput)))
    : kind === SINGLE && index < tx.outputs.length
    ? sha256d(serializeOutput(tx.outputs[index]!))
    : zero
  return sha256d(
    join(
      littleEndian(tx.version, 4),
      hashPrevouts,
      hashSequence,
      serializeOutPoint(input),
      lengthPrefixed(scriptCode),
      littleEndian(amount, 8),
      littleEndian(input.sequence, 4),
      hashOutputs,
      littleEndian(tx.lockTime, 4),
      littleEndian(hashType, 4)
    )
  )
}

/** What a signature inside a script commits to beyond the transaction. */
export interface TapscriptExtension {
  readonly leafHash: Uint8Array
  /** Position of the last executed OP_CODESEPARATOR in instructions, 0xffffffff without one. */
  readonly separator: number
}

/** Whether BIP341 gives the hash type a meaning; SINGLE needs an output at the input's index. */
export const isTaprootHashType = (hashType: number, outputs: number, index: number): boolean =>
  [0, 1, 2, 3, 0x81, 0x82, 0x83].includes(hashType) && ((hashType & 3) !== SINGLE || index < outputs)

/** BIP341's message of an input, with BIP342's extension in a script. Precondition: the hash type has a meaning. */
export const taprootSighash = (
  tx: NaiveTransaction,
  index: number,
  spent: ReadonlyArray<NaiveOutput>,
  hashType: number,
  annex: Uint8Array | undefined,
  extension: TapscriptExtension | undefined
): Uint8Array => {
  const kind = hashType === 0 ? 1 : hashType & 3
  const anyoneCanPay = (hashType & 0x80) !== 0
  const input = tx.inputs[index]!
  const parts: Array<Uint8Array> = [
    Uint8Array.of(0, hashType),
    littleEndian(tx.version, 4),
    littleEndian(tx.lockTime, 4)
  ]
  if (!anyoneCanPay) {
    parts.push(
      sha256(join(...tx.inputs.map(serializeOutPoint))),
      sha256(join(...spent.map((output) => littleEndian(output.value, 8)))),
      sha256(join(...spent.map((output) => lengthPrefixed(output.script)))),
      sha256(join(...tx.inputs.map((each) => littleEndian(each.sequence, 4))))
    )
  }
  if (kind === 1) parts.push(sha256(join(...tx.outputs.map(serializeOutput))))
  parts.push(Uint8Array.of((extension ? 2 : 0) + (annex ? 1 : 0)))
  if (anyoneCanPay) {
    parts.push(serializeOutPoint(input), serializeOutput(spent[index]!), littleEndian(input.sequence, 4))
  } else parts.push(littleEndian(index, 4))
  if (annex) parts.push(sha256(join(compactSize(annex.length), annex)))
  if (kind === SINGLE) parts.push(sha256(serializeOutput(tx.outputs[index]!)))
  if (extension) parts.push(extension.leafHash, Uint8Array.of(0), littleEndian(extension.separator, 4))
  return taggedHash("TapSighash", ...parts)
}
