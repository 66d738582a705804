import { concatBytes } from "../bytes/equal.ts"
import { compactSizeLength } from "../bytes/compact-size.ts"
import { createScratch, type Scratch, writerOn, written } from "../bytes/scratch.ts"
import { sizedLength, type Writer, writeBytes, writeCompactSize, writeSized, writeUint32 } from "../bytes/writer.ts"
import type { Crypto } from "../crypto/crypto.ts"
import type { Bytes, Bytes32 } from "../quantities.ts"
import type { Transaction } from "../model/transaction.ts"
import { outputLength, writeOutput } from "../model/transaction-writer.ts"
import { instructionEnd } from "../script/instruction.ts"
import { Opcode } from "../script/opcode.ts"
import { BLANK_INPUT_SIZE, type LegacyParts, legacyParts, type SpendDigests } from "./digests.ts"
import { OUTPUT_MASK, SighashType } from "./hash-type.ts"

/** Value −1 and an empty script, by which SINGLE replaces the outputs before its own. */
const BLANK_OUTPUT = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0)

/**
 * Returns `script` without its OP_CODESEPARATOR instructions; the same array if it has no such instruction. A byte 171
 * inside a push is data, and anything after a truncated instruction is kept unchanged.
 *
 * @spec SHH-002 #e0ae9d09
 */
export const withoutCodeSeparators = (script: Bytes): Bytes => {
  const kept: Array<Uint8Array> = []
  let keptFrom = 0
  let pc = 0
  while (pc < script.length) {
    const start = pc
    pc = instructionEnd(script, start)
    if (script[start] !== Opcode.OP_CODESEPARATOR) continue
    kept.push(script.subarray(keptFrom, start))
    keptFrom = pc
  }
  if (kept.length === 0) return script
  kept.push(script.subarray(keptFrom))
  return concatBytes(kept)
}

const writeBlankInputs = (writer: Writer, inputs: Uint8Array, zeroSequences: boolean): void => {
  const start = writer.offset
  writeBytes(writer, inputs)
  if (!zeroSequences) return
  for (let at = start + BLANK_INPUT_SIZE - 4; at < writer.offset; at += BLANK_INPUT_SIZE) {
    writer.bytes.fill(0, at, at + 4)
  }
}

/** The signed input with its script code between the other inputs, which are blank; alone under ANYONECANPAY. */
const writeInputs = (
  writer: Writer,
  blank: Uint8Array,
  inputIndex: number,
  scriptCode: Uint8Array,
  hashType: number
): void => {
  const anyoneCanPay = (hashType & SighashType.ANYONECANPAY) !== 0
  const output = hashType & OUTPUT_MASK
  const zeroSequences = output === SighashType.NONE || output === SighashType.SINGLE
  const own = inputIndex * BLANK_INPUT_SIZE
  const next = own + BLANK_INPUT_SIZE
  writeCompactSize(writer, anyoneCanPay ? 1 : blank.length / BLANK_INPUT_SIZE)
  if (!anyoneCanPay) writeBlankInputs(writer, blank.subarray(0, own), zeroSequences)
  writeBytes(writer, blank.subarray(own, own + 36))
  writeSized(writer, scriptCode)
  writeBytes(writer, blank.subarray(next - 4, next))
  if (!anyoneCanPay) writeBlankInputs(writer, blank.subarray(next), zeroSequences)
}

const writeOutputs = (
  writer: Writer,
  tx: Transaction,
  parts: LegacyParts,
  inputIndex: number,
  hashType: number
): void => {
  const output = hashType & OUTPUT_MASK
  if (output === SighashType.NONE) return writeCompactSize(writer, 0)
  if (output !== SighashType.SINGLE) {
    writeCompactSize(writer, tx.outputs.length)
    return writeBytes(writer, parts.outputs)
  }
  writeCompactSize(writer, inputIndex + 1)
  for (let i = 0; i < inputIndex; i++) writeBytes(writer, BLANK_OUTPUT)
  writeOutput(writer, tx.outputs[inputIndex]!)
}

const outputsLength = (tx: Transaction, parts: LegacyParts, inputIndex: number, hashType: number): number => {
  const output = hashType & OUTPUT_MASK
  if (output === SighashType.NONE) return 1
  if (output !== SighashType.SINGLE) return compactSizeLength(tx.outputs.length) + parts.outputs.length
  return compactSizeLength(inputIndex + 1) + BLANK_OUTPUT.length * inputIndex + outputLength(tx.outputs[inputIndex]!)
}

/**
 * The hash a signature outside witnesses commits to; 32 bytes.
 *
 * `hashType` is the whole int32 that is hashed along: in a script only its lowest byte is ever set, from the signature.
 * SINGLE without an output at the input's index does not fail but gives the number one, as does an index that has no
 * input. An off-by-one of the first client became consensus.
 *
 * Precondition: `scriptCode` has had the signature deleted from it (SCR-015). Separators are removed here.
 *
 * @spec SHH-001 #aee53618
 */
export const legacySighash = (
  tx: Transaction,
  inputIndex: number,
  scriptCode: Bytes,
  hashType: number,
  digests: SpendDigests,
  crypto: Crypto,
  scratch: Scratch = createScratch()
): Bytes32 => {
  const single = (hashType & OUTPUT_MASK) === SighashType.SINGLE
  if (inputIndex >= tx.inputs.length || (single && inputIndex >= tx.outputs.length)) {
    const one = new Uint8Array(32)
    one[0] = 1
    return one
  }
  const parts = digests.legacy ?? legacyParts(tx)
  const script = withoutCodeSeparators(scriptCode)
  const count = (hashType & SighashType.ANYONECANPAY) !== 0 ? 1 : tx.inputs.length
  const inputsLength = compactSizeLength(count) + count * BLANK_INPUT_SIZE - 1 + sizedLength(script)
  const writer = writerOn(scratch, 12 + inputsLength + outputsLength(tx, parts, inputIndex, hashType))
  writeUint32(writer, tx.version)
  writeInputs(writer, parts.inputs, inputIndex, script, hashType)
  writeOutputs(writer, tx, parts, inputIndex, hashType)
  writeUint32(writer, tx.lockTime)
  writeUint32(writer, hashType)
  return crypto.sha256d(written(writer))
}
