import { bytesEqual } from "@lockstep/kernel/bytes"
import type { Crypto } from "@lockstep/kernel/crypto"
import type { KeptFields, Psbt, PsbtInput, PsbtOutput } from "./psbt.ts"
import { addMissing } from "./sort-keys.ts"
import { uniqueId } from "./unsigned-transaction.ts"

const addKept = (into: KeptFields, from: KeptFields): void => {
  addMissing(into.proprietary, from.proprietary)
  addMissing(into.unknown, from.unknown)
}

const addInput = (into: PsbtInput, from: PsbtInput): void => {
  into.nonWitnessUtxo ??= from.nonWitnessUtxo
  into.witnessUtxo ??= from.witnessUtxo
  addMissing(into.partialSignatures, from.partialSignatures)
  for (const kind of ["ripemd160", "sha256", "hash160", "hash256"] as const) {
    addMissing(into.preimages[kind], from.preimages[kind])
  }
  addMissing(into.origins, from.origins)
  addKept(into, from)
  addMissing(into.taprootScriptSignatures, from.taprootScriptSignatures)
  addMissing(into.taprootScripts, from.taprootScripts)
  addMissing(into.taprootOrigins, from.taprootOrigins)
  into.redeemScript ??= from.redeemScript
  into.witnessScript ??= from.witnessScript
  into.finalScript ??= from.finalScript
  into.finalWitness ??= from.finalWitness
  into.taprootKeySignature ??= from.taprootKeySignature
  into.taprootInternalKey ??= from.taprootInternalKey
  into.taprootMerkleRoot ??= from.taprootMerkleRoot
  addMissing(into.musigParticipants, from.musigParticipants)
  addMissing(into.musigNonces, from.musigNonces)
  addMissing(into.musigPartialSignatures, from.musigPartialSignatures)
  into.sequence ??= from.sequence
  into.timeLockTime ??= from.timeLockTime
  into.heightLockTime ??= from.heightLockTime
}

const addOutput = (into: PsbtOutput, from: PsbtOutput): void => {
  addMissing(into.origins, from.origins)
  addKept(into, from)
  addMissing(into.taprootOrigins, from.taprootOrigins)
  into.redeemScript ??= from.redeemScript
  into.witnessScript ??= from.witnessScript
  into.taprootInternalKey ??= from.taprootInternalKey
  if (into.taprootTree.length === 0) into.taprootTree = from.taprootTree
  addMissing(into.musigParticipants, from.musigParticipants)
}

const HAS_SIGHASH_SINGLE = 4

/** Merges the flags: changes need the permission of both; a signature of SIGHASH_SINGLE exists if one says so. */
const modifiableOf = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined && b === undefined
    ? undefined
    : ((a ?? 0) & (b ?? 0)) | (((a ?? 0) | (b ?? 0)) & HAS_SIGHASH_SINGLE)

/**
 * Merges the data of another PSBT for the same transaction (the Combiner of BIP174). If both have a value the first one
 * is kept. Returns false if it is for another transaction.
 */
export const mergePsbt = (into: Psbt, from: Psbt, crypto: Crypto): boolean => {
  const ids = [uniqueId(into, crypto), uniqueId(from, crypto)] as const
  if (ids[0] === undefined || ids[1] === undefined || !bytesEqual(ids[0], ids[1])) return false
  if (into.version !== from.version) return false
  for (const [i, input] of into.inputs.entries()) addInput(input, from.inputs[i]!)
  for (const [i, output] of into.outputs.entries()) addOutput(output, from.outputs[i]!)
  addMissing(into.globalKeys, from.globalKeys)
  into.fallbackLockTime ??= from.fallbackLockTime
  into.modifiable = modifiableOf(into.modifiable, from.modifiable)
  addKept(into, from)
  return true
}
