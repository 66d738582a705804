import { createScratch, type Scratch, writerOn, written } from "../bytes/scratch.ts"
import { sizedLength, type Writer, writeBytes, writerOf, writeUint32, writeUint8 } from "../bytes/writer.ts"
import type { Crypto } from "../crypto/crypto.ts"
import { TAG_PREFIX_SIZE, writeTagPrefix } from "../crypto/tagged-hash.ts"
import type { Bytes32 } from "../quantities.ts"
import type { SpentOutputs, Transaction } from "../model/transaction.ts"
import { writeOutput, writePrevout } from "../model/transaction-writer.ts"
import { encodedOutput, type SpendDigests, taprootDigests } from "./digests.ts"
import { isDefinedTaprootHashType, SighashType } from "./hash-type.ts"

/**
 * Data that a taproot signature commits to besides the transaction: SHA-256 of the annex with its length (empty: no
 * annex). In a script path (BIP342) also the 32-byte leaf hash (empty: key path) with the instruction position of the
 * last executed OP_CODESEPARATOR, 0xffffffff if none was executed.
 */
export interface TaprootExtension {
  readonly annexHash: Uint8Array
  readonly leafHash: Uint8Array
  readonly separatorInstruction: number
}

const NOTHING = new Uint8Array(0)

/** Bits of a hash type that select the outputs; the default 0 selects as ALL does. */
const TAPROOT_OUTPUT_MASK = 3

const spendType = ({ annexHash, leafHash }: TaprootExtension): number =>
  (leafHash.length === 0 ? 0 : 2) + (annexHash.length === 0 ? 0 : 1)

const writeOwnInput = (writer: Writer, tx: Transaction, inputIndex: number, spentOutputs: SpentOutputs): void => {
  const input = tx.inputs[inputIndex]!
  writePrevout(writer, input)
  writeOutput(writer, spentOutputs[inputIndex]!)
  writeUint32(writer, input.sequence)
}

/** The leaf that is run, and where in it; nothing in a key path. */
const leafPart = ({ leafHash, separatorInstruction }: TaprootExtension): Uint8Array => {
  if (leafHash.length === 0) return leafHash
  const writer = writerOf(37)
  writeBytes(writer, leafHash)
  writeUint8(writer, 0) // key version
  writeUint32(writer, separatorInstruction)
  return writer.bytes
}

/**
 * Returns the hash that a taproot signature commits to (BIP341, BIP342); 32 bytes. Returns `undefined` if the hash type
 * is undefined or is SINGLE without an output at the input's index.
 *
 * Precondition: one spent output per input; `inputIndex` names an input.
 *
 * @spec SHH-020 #c29bcb40
 */
export const taprootSighash = (
  tx: Transaction,
  inputIndex: number,
  spentOutputs: SpentOutputs,
  hashType: number,
  extension: TaprootExtension,
  digests: SpendDigests,
  crypto: Crypto,
  scratch: Scratch = createScratch()
): Bytes32 | undefined => {
  const output = hashType & TAPROOT_OUTPUT_MASK
  if (!isDefinedTaprootHashType(hashType)) return undefined
  if (output === SighashType.SINGLE && inputIndex >= tx.outputs.length) return undefined
  const anyoneCanPay = (hashType & SighashType.ANYONECANPAY) !== 0
  const allOutputs = output === SighashType.DEFAULT || output === SighashType.ALL
  const shared = digests.taproot ?? taprootDigests(tx, spentOutputs, crypto)
  const ownOutput = output === SighashType.SINGLE ? crypto.sha256(encodedOutput(tx.outputs[inputIndex]!)) : NOTHING

  const leaf = leafPart(extension)
  const inputsSize = anyoneCanPay ? 48 + sizedLength(spentOutputs[inputIndex]!.script) : 132
  const outputsSize = output === SighashType.NONE ? 0 : 32
  const writer = writerOn(
    scratch,
    TAG_PREFIX_SIZE + 11 + inputsSize + outputsSize + extension.annexHash.length + leaf.length
  )
  writeTagPrefix(writer, "TapSighash")
  writeUint8(writer, 0) // epoch
  writeUint8(writer, hashType)
  writeUint32(writer, tx.version)
  writeUint32(writer, tx.lockTime)
  if (!anyoneCanPay) {
    writeBytes(writer, shared.prevouts)
    writeBytes(writer, shared.amounts)
    writeBytes(writer, shared.scripts)
    writeBytes(writer, shared.sequences)
  }
  if (allOutputs) writeBytes(writer, shared.outputs)
  writeUint8(writer, spendType(extension))
  if (anyoneCanPay) writeOwnInput(writer, tx, inputIndex, spentOutputs)
  else writeUint32(writer, inputIndex)
  writeBytes(writer, extension.annexHash)
  writeBytes(writer, ownOutput)
  writeBytes(writer, leaf)
  return crypto.sha256(written(writer))
}
