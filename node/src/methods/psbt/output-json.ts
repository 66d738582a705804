import type { PsbtOutput } from "@lockstep/protocol/psbt/psbt.ts"
import type { AddressPrefixes } from "@lockstep/protocol/networks/network.ts"
import * as Schema from "effect/Schema"
import { hexOf } from "../../hex.ts"
import { ScriptPubKey, scriptPubKey } from "../../answers/script-pub-key.ts"
import { amount } from "../../json/number-text.ts"
import { Amount, described, Hex, optionalDescribed } from "../../answers/result-schema.ts"
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

const TreeLeaf = Schema.Struct({
  depth: described(Schema.Number, "How deep it hangs in the tree"),
  leaf_ver: described(Schema.Number, "The version of the leaf"),
  script: described(Schema.String, "The script")
})

export const PsbtOutputJson = Schema.Struct({
  redeem_script: optionalDescribed(InnerScript, "The script behind a script hash"),
  witness_script: optionalDescribed(InnerScript, "The script behind a witness script hash"),
  bip32_derivs: optionalDescribed(Schema.Array(Derivation), "Where keys come from"),
  amount: optionalDescribed(Amount, "The amount in BTC"),
  script: optionalDescribed(ScriptPubKey, "The script"),
  taproot_internal_key: optionalDescribed(Hex, "The x-only internal key"),
  taproot_tree: optionalDescribed(Schema.Array(TreeLeaf), "The scripts of the tree, depth first"),
  taproot_bip32_derivs: optionalDescribed(Schema.Array(TaprootDerivation), "Where keys come from"),
  musig2_participant_pubkeys: optionalDescribed(Schema.Array(Participants), "What aggregate keys are made of"),
  proprietary: optionalDescribed(Schema.Array(Proprietary), "Fields of a program's own"),
  unknown: optionalDescribed(HexByHex, "Fields of unknown types")
})

/** Returns an output as answers show it. */
export const psbtOutputJson = (
  output: PsbtOutput,
  version: number,
  prefixes: AddressPrefixes
): typeof PsbtOutputJson.Type => ({
  redeem_script: innerScriptJson(output.redeemScript),
  witness_script: innerScriptJson(output.witnessScript),
  bip32_derivs: derivationsJson(output.origins),
  ...(version === 2 ? { amount: amount(output.value), script: scriptPubKey(output.script, prefixes) } : {}),
  taproot_internal_key: output.taprootInternalKey && hexOf(output.taprootInternalKey),
  taproot_tree: some(output.taprootTree.map(({ depth, script, version: leafVersion }) => ({
    depth,
    leaf_ver: leafVersion,
    script: hexOf(script)
  }))),
  taproot_bip32_derivs: taprootDerivationsJson(output.taprootOrigins),
  musig2_participant_pubkeys: participantsJson(output.musigParticipants),
  proprietary: some(proprietaryJson(output)),
  unknown: output.unknown.size === 0 ? undefined : unknownJson(output)
})
