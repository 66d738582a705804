import { concatBytes, encodeCompactSize } from "@lockstep/kernel/bytes"
import { encodeParts, encodeWithoutWitness, type TransactionOutput } from "@lockstep/kernel/model"
import {
  originBytes,
  type Parts,
  putEnd,
  putField,
  putMusigParts,
  putOptional,
  putOrigins,
  putParticipants,
  putProprietary,
  putSized,
  putTaprootOrigins,
  putWord
} from "./encode-fields.ts"
import { GlobalField, InputField, MAGIC, OutputField } from "./field-types.ts"
import type { PreimageKind, Psbt, PsbtInput, PsbtOutput, TreeScript } from "./psbt.ts"
import { inOrder } from "./sort-keys.ts"
import { unsignedParts } from "./unsigned-transaction.ts"

const int64 = (value: bigint): Uint8Array => {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigInt64(0, value, true)
  return bytes
}

const outputBytes = ({ script, value }: TransactionOutput): Uint8Array =>
  concatBytes([int64(value), encodeCompactSize(script.length), script])

const stackBytes = (items: ReadonlyArray<Uint8Array>): Uint8Array => {
  const parts: Parts = [encodeCompactSize(items.length)]
  for (const item of items) putSized(parts, item)
  return concatBytes(parts)
}

const PREIMAGES: ReadonlyArray<PreimageKind> = ["ripemd160", "sha256", "hash160", "hash256"]

const putTaproot = (parts: Parts, input: PsbtInput): void => {
  putOptional(parts, InputField.taprootKeySignature, input.taprootKeySignature)
  for (const { key, leafHash, signature } of inOrder(input.taprootScriptSignatures)) {
    putField(parts, InputField.taprootScriptSignature, signature, concatBytes([key, leafHash]))
  }
  for (const { controlBlocks, script, version } of inOrder(input.taprootScripts)) {
    const value = Uint8Array.of(...script, version)
    for (const block of inOrder(controlBlocks)) putField(parts, InputField.taprootScript, value, block)
  }
  putTaprootOrigins(parts, InputField.taprootOrigin, input.taprootOrigins)
  putOptional(parts, InputField.taprootInternalKey, input.taprootInternalKey)
  putOptional(parts, InputField.taprootMerkleRoot, input.taprootMerkleRoot)
}

/** Appends the fields from which a final script or witness is built, which are obsolete once that exists. */
const putUnfinished = (parts: Parts, input: PsbtInput): void => {
  for (const { key, signature } of inOrder(input.partialSignatures)) {
    putField(parts, InputField.partialSignature, signature, key)
  }
  putWord(parts, InputField.sighashType, input.sighashType)
  putOptional(parts, InputField.redeemScript, input.redeemScript)
  putOptional(parts, InputField.witnessScript, input.witnessScript)
  putOrigins(parts, InputField.origin, input.origins)
  for (const kind of PREIMAGES) {
    for (const { hash, preimage } of inOrder(input.preimages[kind])) {
      putField(parts, InputField[kind], preimage, hash)
    }
  }
  putTaproot(parts, input)
  putParticipants(parts, InputField.musigParticipants, input.musigParticipants)
  putMusigParts(parts, InputField.musigNonce, input.musigNonces)
  putMusigParts(parts, InputField.musigPartialSignature, input.musigPartialSignatures)
}

const putInput = (parts: Parts, input: PsbtInput, version: number): void => {
  const { finalScript, finalWitness, nonWitnessUtxo, witnessUtxo } = input
  if (nonWitnessUtxo !== undefined) {
    putField(parts, InputField.nonWitnessUtxo, encodeWithoutWitness(nonWitnessUtxo))
  }
  if (witnessUtxo !== undefined) putField(parts, InputField.witnessUtxo, outputBytes(witnessUtxo))
  if (finalScript === undefined && finalWitness === undefined) putUnfinished(parts, input)
  putOptional(parts, InputField.finalScript, finalScript)
  if (finalWitness !== undefined) putField(parts, InputField.finalWitness, stackBytes(finalWitness))
  if (version === 2) {
    putField(parts, InputField.previousTxid, input.prevout.txid)
    putWord(parts, InputField.outputIndex, input.prevout.vout)
    putWord(parts, InputField.sequence, input.sequence)
    putWord(parts, InputField.timeLockTime, input.timeLockTime)
    putWord(parts, InputField.heightLockTime, input.heightLockTime)
  }
  putProprietary(parts, input)
  putEnd(parts, input)
}

const treeBytes = (tree: ReadonlyArray<TreeScript>): Uint8Array => {
  const parts: Parts = []
  for (const { depth, script, version } of tree) {
    parts.push(Uint8Array.of(depth, version))
    putSized(parts, script)
  }
  return concatBytes(parts)
}

const putOutput = (parts: Parts, output: PsbtOutput, version: number): void => {
  putOptional(parts, OutputField.redeemScript, output.redeemScript)
  putOptional(parts, OutputField.witnessScript, output.witnessScript)
  putOrigins(parts, OutputField.origin, output.origins)
  if (version === 2) {
    putField(parts, OutputField.value, int64(output.value))
    putField(parts, OutputField.script, output.script)
  }
  putProprietary(parts, output)
  putOptional(parts, OutputField.taprootInternalKey, output.taprootInternalKey)
  putOptional(parts, OutputField.taprootTree, treeBytes(output.taprootTree))
  putTaprootOrigins(parts, OutputField.taprootOrigin, output.taprootOrigins)
  putParticipants(parts, OutputField.musigParticipants, output.musigParticipants)
  putEnd(parts, output)
}

const putGlobals = (parts: Parts, psbt: Psbt): void => {
  if (psbt.version === 0) {
    putField(parts, GlobalField.unsignedTransaction, encodeParts(unsignedParts(psbt)!))
  }
  for (const { extendedKey, origin } of inOrder(psbt.globalKeys)) {
    putField(parts, GlobalField.extendedKey, originBytes(origin), extendedKey)
  }
  if (psbt.version === 2) {
    putWord(parts, GlobalField.txVersion, psbt.txVersion)
    putWord(parts, GlobalField.fallbackLockTime, psbt.fallbackLockTime)
    putField(parts, GlobalField.inputCount, encodeCompactSize(psbt.inputs.length))
    putField(parts, GlobalField.outputCount, encodeCompactSize(psbt.outputs.length))
    if (psbt.modifiable !== undefined) putField(parts, GlobalField.modifiable, Uint8Array.of(psbt.modifiable))
    putWord(parts, GlobalField.version, psbt.version)
  }
  putProprietary(parts, psbt)
  putEnd(parts, psbt)
}

/** Serializes a partially signed transaction, with its fields in the order of Bitcoin Core. */
export const encodePsbt = (psbt: Psbt): Uint8Array => {
  const parts: Parts = [MAGIC]
  putGlobals(parts, psbt)
  for (const input of psbt.inputs) putInput(parts, input, psbt.version)
  for (const output of psbt.outputs) putOutput(parts, output, psbt.version)
  return concatBytes(parts)
}
