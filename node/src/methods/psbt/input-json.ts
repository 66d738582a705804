import type { MusigPart, Preimages, PsbtInput, Sorted } from "@lockstep/protocol/psbt/psbt.ts"
import { inOrder } from "@lockstep/protocol/psbt/sort-keys.ts"
import * as Schema from "effect/Schema"
import { displayHash, hexOf } from "../../hex.ts"
import { spendingAsmOf } from "@lockstep/descriptors/script-text/asm.ts"
import { ScriptPubKey, scriptPubKey } from "../../answers/script-pub-key.ts"
import { type ShowContext, TransactionJson, transactionJson } from "../../answers/transaction-json.ts"
import { amount } from "../../json/number-text.ts"
import { Amount, described, Hex, optionalDescribed } from "../../answers/result-schema.ts"
import { sighashText } from "../raw-transaction/sighash-name.ts"
import {
  Derivation,
  derivationsJson,
  HexByHex,
  InnerScript,
  innerScriptJson,
  Participants,
  participantsJson,
  Proprietary,
  proprietaryJson,
  some,
  TaprootDerivation,
  taprootDerivationsJson,
  unknownJson
} from "./key-json.ts"

const Utxo = Schema.Struct({
  amount: described(Amount, "The amount in BTC"),
  scriptPubKey: described(ScriptPubKey, "The script")
})

const FinalScript = Schema.Struct({
  asm: described(Schema.String, "The script in words"),
  hex: described(Hex, "The bytes of the script")
})

const ScriptSignature = Schema.Struct({
  pubkey: described(Schema.String, "The x-only key"),
  leaf_hash: described(Schema.String, "The hash of the leaf"),
  sig: described(Schema.String, "The signature")
})

const LeafScript = Schema.Struct({
  script: described(Hex, "The script"),
  leaf_ver: described(Schema.Number, "The version of the leaf"),
  control_blocks: described(Schema.Array(Hex), "What shows that it is in the tree")
})

const NonceJson = Schema.Struct({
  participant_pubkey: described(Hex, "The key of the participant"),
  aggregate_pubkey: described(Hex, "The aggregate key"),
  leaf_hash: optionalDescribed(Hex, "The leaf that is signed for; none: the internal key"),
  pubnonce: described(Hex, "The nonce")
})

const PartialSignatureJson = Schema.Struct({
  participant_pubkey: described(Hex, "The key of the participant"),
  aggregate_pubkey: described(Hex, "The aggregate key"),
  leaf_hash: optionalDescribed(Hex, "The leaf that is signed for; none: the internal key"),
  partial_sig: described(Hex, "The partial signature")
})

export const PsbtInputJson = Schema.Struct({
  witness_utxo: optionalDescribed(Utxo, "The output that is spent"),
  non_witness_utxo: optionalDescribed(TransactionJson, "The transaction whose output is spent"),
  partial_signatures: optionalDescribed(HexByHex, "Signatures by public key"),
  sighash: optionalDescribed(Schema.String, "What signatures cover"),
  redeem_script: optionalDescribed(InnerScript, "The script behind a script hash"),
  witness_script: optionalDescribed(InnerScript, "The script behind a witness script hash"),
  bip32_derivs: optionalDescribed(Schema.Array(Derivation), "Where keys come from"),
  final_scriptSig: optionalDescribed(FinalScript, "The script that spends"),
  final_scriptwitness: optionalDescribed(Schema.Array(Hex), "The witness that spends"),
  ripemd160_preimages: optionalDescribed(HexByHex, "Preimages by hash"),
  sha256_preimages: optionalDescribed(HexByHex, "Preimages by hash"),
  hash160_preimages: optionalDescribed(HexByHex, "Preimages by hash"),
  hash256_preimages: optionalDescribed(HexByHex, "Preimages by hash"),
  previous_txid: optionalDescribed(Hex, "The transaction whose output is spent"),
  previous_vout: optionalDescribed(Schema.Number, "The place of that output"),
  sequence: optionalDescribed(Schema.Number, "The sequence number"),
  time_locktime: optionalDescribed(Schema.Number, "The least lock time, where it is a time"),
  height_locktime: optionalDescribed(Schema.Number, "The least lock time, where it is a height"),
  taproot_key_path_sig: optionalDescribed(Hex, "The signature of the key path"),
  taproot_script_path_sigs: optionalDescribed(Schema.Array(ScriptSignature), "Signatures of leaves"),
  taproot_scripts: optionalDescribed(Schema.Array(LeafScript), "Scripts of the tree"),
  taproot_bip32_derivs: optionalDescribed(Schema.Array(TaprootDerivation), "Where keys come from"),
  taproot_internal_key: optionalDescribed(Hex, "The x-only internal key"),
  taproot_merkle_root: optionalDescribed(Hex, "The root of the tree"),
  musig2_participant_pubkeys: optionalDescribed(Schema.Array(Participants), "What aggregate keys are made of"),
  musig2_pubnonces: optionalDescribed(Schema.Array(NonceJson), "Nonces of participants"),
  musig2_partial_sigs: optionalDescribed(Schema.Array(PartialSignatureJson), "Partial signatures of participants"),
  proprietary: optionalDescribed(Schema.Array(Proprietary), "Fields of a program's own"),
  unknown: optionalDescribed(HexByHex, "Fields of unknown types")
})

const preimagesJson = (preimages: Preimages): typeof HexByHex.Type | undefined =>
  preimages.size === 0
    ? undefined
    : Object.fromEntries(inOrder(preimages).map(({ hash, preimage }) => [hexOf(hash), hexOf(preimage)]))

const partJson = ({ aggregate, leafHash, participant }: MusigPart) => ({
  participant_pubkey: hexOf(participant),
  aggregate_pubkey: hexOf(aggregate),
  leaf_hash: leafHash && hexOf(leafHash)
})

const taprootJson = (input: PsbtInput) => ({
  taproot_key_path_sig: input.taprootKeySignature && hexOf(input.taprootKeySignature),
  taproot_script_path_sigs: some(
    inOrder(input.taprootScriptSignatures).map(({ key, leafHash, signature }) => ({
      pubkey: hexOf(key),
      leaf_hash: hexOf(leafHash),
      sig: hexOf(signature)
    }))
  ),
  taproot_scripts: some(
    inOrder(input.taprootScripts).map(({ controlBlocks, script, version }) => ({
      script: hexOf(script),
      leaf_ver: version,
      control_blocks: inOrder(controlBlocks).map(hexOf)
    }))
  ),
  taproot_bip32_derivs: taprootDerivationsJson(input.taprootOrigins),
  taproot_internal_key: input.taprootInternalKey && hexOf(input.taprootInternalKey),
  taproot_merkle_root: input.taprootMerkleRoot && hexOf(input.taprootMerkleRoot)
})

const parts = <A>(all: Sorted<MusigPart>, show: (part: MusigPart) => A) => some(inOrder(all).map(show))

const musigJson = ({ musigNonces, musigParticipants, musigPartialSignatures }: PsbtInput) => {
  return {
    musig2_participant_pubkeys: participantsJson(musigParticipants),
    musig2_pubnonces: parts(musigNonces, (part) => ({ ...partJson(part), pubnonce: hexOf(part.value) })),
    musig2_partial_sigs: parts(
      musigPartialSignatures,
      (part) => ({ ...partJson(part), partial_sig: hexOf(part.value) })
    )
  }
}

const versionJson = ({ heightLockTime, prevout, sequence, timeLockTime }: PsbtInput) => ({
  previous_txid: displayHash(prevout.txid),
  previous_vout: prevout.vout,
  sequence,
  time_locktime: timeLockTime,
  height_locktime: heightLockTime
})

/** Returns an input as answers show it. */
export const psbtInputJson = (
  input: PsbtInput,
  version: number,
  context: ShowContext
): typeof PsbtInputJson.Type => {
  const { finalScript, finalWitness, nonWitnessUtxo, partialSignatures, witnessUtxo } = input
  return {
    witness_utxo: witnessUtxo &&
      { amount: amount(witnessUtxo.value), scriptPubKey: scriptPubKey(witnessUtxo.script, context.prefixes) },
    non_witness_utxo: nonWitnessUtxo && transactionJson(nonWitnessUtxo, context),
    partial_signatures: partialSignatures.size === 0
      ? undefined
      : Object.fromEntries(inOrder(partialSignatures).map(({ key, signature }) => [hexOf(key), hexOf(signature)])),
    sighash: input.sighashType === undefined ? undefined : sighashText(input.sighashType),
    redeem_script: innerScriptJson(input.redeemScript),
    witness_script: innerScriptJson(input.witnessScript),
    bip32_derivs: derivationsJson(input.origins),
    final_scriptSig: finalScript && { asm: spendingAsmOf(finalScript), hex: hexOf(finalScript) },
    final_scriptwitness: finalWitness?.map(hexOf),
    ripemd160_preimages: preimagesJson(input.preimages.ripemd160),
    sha256_preimages: preimagesJson(input.preimages.sha256),
    hash160_preimages: preimagesJson(input.preimages.hash160),
    hash256_preimages: preimagesJson(input.preimages.hash256),
    ...(version === 2 ? versionJson(input) : {}),
    ...taprootJson(input),
    ...musigJson(input),
    proprietary: some(proprietaryJson(input)),
    unknown: input.unknown.size === 0 ? undefined : unknownJson(input)
  }
}
