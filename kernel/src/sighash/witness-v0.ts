import { createScratch, type Scratch, writerOn, written } from "../bytes/scratch.ts"
import { sizedLength, writeBytes, writeInt64, writeSized, writeUint32 } from "../bytes/writer.ts"
import type { Crypto } from "../crypto/crypto.ts"
import type { Bytes, Bytes32, Sats } from "../quantities.ts"
import type { Transaction } from "../model/transaction.ts"
import { writePrevout } from "../model/transaction-writer.ts"
import {
  encodedOutput,
  serializedOutputs,
  serializedPrevouts,
  serializedSequences,
  type SpendDigests
} from "./digests.ts"
import { OUTPUT_MASK, SighashType } from "./hash-type.ts"

const ZERO = new Uint8Array(32)

const outputsDigest = (
  tx: Transaction,
  inputIndex: number,
  output: number,
  digests: SpendDigests,
  crypto: Crypto
): Uint8Array => {
  if (output === SighashType.NONE) return ZERO
  if (output !== SighashType.SINGLE) return digests.witnessV0?.outputs ?? crypto.sha256d(serializedOutputs(tx))
  if (inputIndex >= tx.outputs.length) return ZERO
  return crypto.sha256d(encodedOutput(tx.outputs[inputIndex]!))
}

/**
 * The hash a signature in a version 0 witness commits to (BIP143); 32 bytes. `amount` is the value of the spent output,
 * in satoshis; `scriptCode` is hashed as it is, separators included.
 *
 * Precondition: `inputIndex` names an input.
 *
 * @spec SHH-010 #c4e2216d
 */
export const witnessV0Sighash = (
  tx: Transaction,
  inputIndex: number,
  scriptCode: Bytes,
  amount: Sats,
  hashType: number,
  digests: SpendDigests,
  crypto: Crypto,
  scratch: Scratch = createScratch()
): Bytes32 => {
  const input = tx.inputs[inputIndex]!
  const output = hashType & OUTPUT_MASK
  const anyoneCanPay = (hashType & SighashType.ANYONECANPAY) !== 0
  const allSequences = !anyoneCanPay && output !== SighashType.NONE && output !== SighashType.SINGLE
  const writer = writerOn(scratch, 156 + sizedLength(scriptCode))
  writeUint32(writer, tx.version)
  writeBytes(
    writer,
    anyoneCanPay ? ZERO : digests.witnessV0?.prevouts ?? crypto.sha256d(serializedPrevouts(tx, createScratch()))
  )
  writeBytes(
    writer,
    allSequences ? digests.witnessV0?.sequences ?? crypto.sha256d(serializedSequences(tx, createScratch())) : ZERO
  )
  writePrevout(writer, input)
  writeSized(writer, scriptCode)
  writeInt64(writer, amount)
  writeUint32(writer, input.sequence)
  writeBytes(writer, outputsDigest(tx, inputIndex, output, digests, crypto))
  writeUint32(writer, tx.lockTime)
  writeUint32(writer, hashType)
  return crypto.sha256d(written(writer))
}
