import type { TransactionOutput } from "@lockstep/kernel/internal/model/transaction.ts"
import { outputBytes, type TransactionContent } from "../judge/transaction-bytes.ts"
import { compactSize, join, littleEndian, sha256, sha256d, sized, tagged } from "./bytes.ts"

const NONE = 2
const SINGLE = 3

const outpoint = ({ inputs }: TransactionContent, i: number): Uint8Array =>
  join(inputs[i]!.prevout.txid, littleEndian(inputs[i]!.prevout.vout, 4))
const sequence = ({ inputs }: TransactionContent, i: number): Uint8Array => littleEndian(inputs[i]!.sequence, 4)
const output = (of: TransactionOutput): Uint8Array => join(...outputBytes(of))

/** What `part` says of every input, joined. */
const ofInputs = (tx: TransactionContent, part: (tx: TransactionContent, i: number) => Uint8Array): Uint8Array =>
  join(...tx.inputs.map((_, i) => part(tx, i)))

const ONE = Uint8Array.of(1, ...new Uint8Array(31))
const BLANK_OUTPUT = join(new Uint8Array(8).fill(0xff), Uint8Array.of(0))

/**
 * What a signature in a base script commits to, field by field. `code` has no separator left, and `hashType` is any
 * int32. Written apart from the kernel, so that a vector is more than the kernel's own answer.
 */
export const legacyHash = (tx: TransactionContent, index: number, code: Uint8Array, hashType: number): Uint8Array => {
  const part = hashType & 31
  const alone = (hashType & 128) !== 0
  if (part === SINGLE && index >= tx.outputs.length) return ONE
  const own = (i: number): boolean => i === index
  const input = (i: number): Uint8Array =>
    join(
      outpoint(tx, i),
      own(i) ? sized(code) : Uint8Array.of(0),
      !own(i) && (part === NONE || part === SINGLE) ? new Uint8Array(4) : sequence(tx, i)
    )
  const inputs = alone ? [input(index)] : tx.inputs.map((_, i) => input(i))
  const outputs = part === NONE
    ? []
    : part === SINGLE
    ? tx.outputs.slice(0, index + 1).map((o, i) => own(i) ? output(o) : BLANK_OUTPUT)
    : tx.outputs.map(output)
  return sha256d(
    littleEndian(tx.version, 4),
    compactSize(inputs.length),
    ...inputs,
    compactSize(outputs.length),
    ...outputs,
    littleEndian(tx.lockTime, 4),
    littleEndian(hashType, 4)
  )
}

/** What a signature in a version 0 witness commits to. */
export const witnessV0Hash = (
  tx: TransactionContent,
  index: number,
  code: Uint8Array,
  amount: bigint,
  hashType: number
): Uint8Array => {
  const part = hashType & 31
  const alone = (hashType & 128) !== 0
  const zero = new Uint8Array(32)
  const own = tx.outputs[index]
  const outputs = part === NONE || (part === SINGLE && own === undefined)
    ? zero
    : part === SINGLE
    ? sha256d(output(own!))
    : sha256d(...tx.outputs.map(output))
  return sha256d(
    littleEndian(tx.version, 4),
    alone ? zero : sha256d(ofInputs(tx, outpoint)),
    alone || part === NONE || part === SINGLE ? zero : sha256d(ofInputs(tx, sequence)),
    outpoint(tx, index),
    sized(code),
    littleEndian(amount, 8),
    sequence(tx, index),
    outputs,
    littleEndian(tx.lockTime, 4),
    littleEndian(hashType, 4)
  )
}

/** How a taproot output is spent: annex, and in a script path the leaf and the last executed separator. */
export interface Extension {
  readonly annex?: Uint8Array
  readonly leaf?: Uint8Array
  readonly separator?: number
}

/** What a taproot signature commits to. */
export const taprootHash = (
  tx: TransactionContent,
  index: number,
  spent: ReadonlyArray<TransactionOutput>,
  hashType: number,
  { annex, leaf, separator = 0xffffffff }: Extension = {}
): Uint8Array => {
  const part = hashType & 3
  const alone = hashType >= 128
  const shared = [
    sha256(ofInputs(tx, outpoint)),
    sha256(...spent.map(({ value }) => littleEndian(value, 8))),
    sha256(...spent.map(({ script }) => sized(script))),
    sha256(ofInputs(tx, sequence))
  ]
  const spendType = (leaf === undefined ? 0 : 2) + (annex === undefined ? 0 : 1)
  return tagged(
    "TapSighash",
    Uint8Array.of(0, hashType),
    littleEndian(tx.version, 4),
    littleEndian(tx.lockTime, 4),
    ...alone ? [] : shared,
    ...part < NONE ? [sha256(...tx.outputs.map(output))] : [],
    Uint8Array.of(spendType),
    ...alone ? [outpoint(tx, index), output(spent[index]!), sequence(tx, index)] : [littleEndian(index, 4)],
    ...annex === undefined ? [] : [sha256(sized(annex))],
    ...part === SINGLE ? [sha256(output(tx.outputs[index]!))] : [],
    ...leaf === undefined ? [] : [leaf, Uint8Array.of(0), littleEndian(separator, 4)]
  )
}
