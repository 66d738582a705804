import { cursorOn } from "../bytes/cursor.ts"
import { sizedLength, writeBytes, writeCompactSize, writerOf, writeSized, writeUint32 } from "../bytes/writer.ts"
import { compactSizeLength } from "../bytes/compact-size.ts"
import { readTransaction } from "./transaction-codec.ts"
import { outputLength, writeOutput, writePrevout } from "./transaction-writer.ts"
import type { Transaction, TransactionInput, TransactionOutput } from "./transaction.ts"

/** The parts a transaction is made of. */
export interface TransactionParts {
  readonly version: number
  readonly inputs: ReadonlyArray<TransactionInput>
  readonly outputs: ReadonlyArray<TransactionOutput>
  readonly lockTime: number
}

/** The serialization without witness of a transaction made of `parts`. */
export const encodeParts = ({ inputs, lockTime, outputs, version }: TransactionParts): Uint8Array => {
  let size = 8 + compactSizeLength(inputs.length) + compactSizeLength(outputs.length)
  for (const input of inputs) size += 40 + sizedLength(input.script)
  for (const output of outputs) size += outputLength(output)
  const writer = writerOf(size)
  writeUint32(writer, version)
  writeCompactSize(writer, inputs.length)
  for (const input of inputs) {
    writePrevout(writer, input)
    writeSized(writer, input.script)
    writeUint32(writer, input.sequence)
  }
  writeCompactSize(writer, outputs.length)
  for (const output of outputs) writeOutput(writer, output)
  writeUint32(writer, lockTime)
  return writer.bytes
}

/** A transaction made of `parts`, with the witnesses its inputs carry. Precondition: at least one input. */
export const transactionOf = (parts: TransactionParts): Transaction => {
  const stripped = readTransaction(cursorOn(encodeParts(parts)))
  if (parts.inputs.every((input) => input.witness.length === 0)) return stripped
  let size = 2 + stripped.bytes.length
  for (const { witness } of parts.inputs) {
    size += compactSizeLength(witness.length)
    for (const item of witness) size += sizedLength(item)
  }
  const writer = writerOf(size)
  writeUint32(writer, parts.version)
  writeBytes(writer, Uint8Array.of(0, 1))
  writeBytes(writer, stripped.body)
  for (const { witness } of parts.inputs) {
    writeCompactSize(writer, witness.length)
    for (const item of witness) writeSized(writer, item)
  }
  writeUint32(writer, parts.lockTime)
  return readTransaction(cursorOn(writer.bytes))
}
