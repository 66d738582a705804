import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { amount } from "../json/number-text.ts"
import { method } from "./definition/method.ts"
import { text } from "./definition/parameter.ts"
import { Amount, described, Hex, optionalDescribed } from "../answers/result-schema.ts"
import { analysisJson } from "@lockstep/descriptors/psbt/analysis-json.ts"
import { analyzePsbt } from "@lockstep/descriptors/psbt/analyze-psbt.ts"
import { givenPsbt } from "./psbt/given-psbt.ts"

const MissingJson = Schema.Struct({
  pubkeys: optionalDescribed(Schema.Array(Hex), "Hashes of public keys that are not known"),
  redeemscript: optionalDescribed(Hex, "The hash of the script behind a script hash"),
  witnessscript: optionalDescribed(Hex, "The hash of the script behind a witness script hash"),
  signatures: optionalDescribed(Schema.Array(Hex), "Hashes of public keys that have not signed")
})

const InputJson = Schema.Struct({
  has_utxo: described(Schema.Boolean, "Whether the output to spend is known"),
  is_final: described(Schema.Boolean, "Whether it is finalized"),
  next: described(Schema.String, "The role that is to work on it next"),
  missing: optionalDescribed(MissingJson, "What is missing to finalize it")
})

const AnalysisJson = Schema.Struct({
  inputs: optionalDescribed(Schema.Array(InputJson), "The inputs"),
  estimated_vsize: optionalDescribed(Schema.Number, "The virtual size that the signed transaction will have"),
  estimated_feerate: optionalDescribed(Amount, "The fee rate that it will have, in BTC a kilobyte"),
  fee: optionalDescribed(Amount, "The fee in BTC"),
  next: described(Schema.String, "The role that is to work on it next"),
  error: optionalDescribed(Schema.String, "What is wrong with it")
})

export const analyzepsbt = method({
  name: "analyzepsbt",
  category: "rawtransactions",
  privilege: "anyone",
  description: "Answers how far a partially signed transaction is: what is missing, and who is to work on it next.",
  parameters: { psbt: text({ description: "The partially signed transaction in base64", takesAnyText: true }) },
  result: AnalysisJson,
  examples: [{ params: ["psbt"] }],
  call: Effect.fnUntraced(function*({ psbt: given }, { crypto }) {
    const psbt = yield* givenPsbt(given, { crypto })
    return analysisJson(yield* analyzePsbt(psbt, crypto), amount)
  })
})
