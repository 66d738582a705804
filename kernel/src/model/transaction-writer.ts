import { sizedLength, type Writer, writeBytes, writeInt64, writeSized, writeUint32 } from "../bytes/writer.ts"
import type { TransactionInput, TransactionOutput } from "./transaction.ts"

/** Bytes of one serialized output. @internal */
export const outputLength = (output: TransactionOutput): number => 8 + sizedLength(output.script)

/** Value and script with its length. @internal */
export const writeOutput = (writer: Writer, output: TransactionOutput): void => {
  writeInt64(writer, output.value)
  writeSized(writer, output.script)
}

/** Id and index of the spent output. @internal */
export const writePrevout = (writer: Writer, input: TransactionInput): void => {
  writeBytes(writer, input.prevout.txid)
  writeUint32(writer, input.prevout.vout)
}
