import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { hexOf } from "../hex.ts"
import { method } from "./definition/method.ts"
import { array, boolean, optional, optionalWith, text } from "./definition/parameter.ts"
import { described, Hex, optionalDescribed } from "../answers/result-schema.ts"
import { givenPsbt } from "./psbt/given-psbt.ts"
import { processPsbt, providerOf } from "./psbt/process-psbt.ts"
import { psbtText } from "@lockstep/descriptors/psbt/psbt-text.ts"
import { finalTransaction } from "@lockstep/descriptors/psbt/psbt-transaction.ts"
import { finalizePsbt } from "@lockstep/descriptors/psbt/sign/finalize-psbt.ts"
import { isInputFinal, signedPsbt } from "@lockstep/descriptors/psbt/sign/sign-input.ts"
import { hashTypeOf } from "./raw-transaction/sighash-name.ts"
import { ScanObjects } from "./scan/scan-objects.ts"

const Processed = Schema.Struct({
  psbt: described(Schema.String, "The partially signed transaction in base64"),
  complete: described(Schema.Boolean, "Whether every input is satisfied"),
  hex: optionalDescribed(Hex, "The transaction, if it is complete")
})

export const descriptorprocesspsbt = method({
  name: "descriptorprocesspsbt",
  category: "rawtransactions",
  privilege: "anyone",
  description: [
    "Adds to a partially signed transaction what the chain, the mempool, the index of transactions and descriptors know,",
    "and signs with the private keys in the descriptors. Keys are used for nothing else and not kept.",
    "Where several sign together (MuSig2), a call adds nonces, and another one, when those of all are there, partial signatures.",
    "A secret nonce stays in this node's memory until it signs, once: after a restart the signing begins anew with new nonces."
  ].join("\n"),
  parameters: {
    psbt: text({ description: "The partially signed transaction in base64", takesAnyText: true }),
    descriptors: array({ description: "Descriptors; ranged ones up to 1000 or their own range" }, ScanObjects),
    sighashtype: optional(text({ description: "What signatures cover (DEFAULT for taproot, else ALL, if missing)" })),
    bip32derivs: optionalWith(boolean({ description: "Whether to say where keys come from" }), true),
    finalize: optionalWith(boolean({ description: "Whether to finalize inputs that are complete" }), true)
  },
  result: Processed,
  examples: [{ params: ["psbt", ["descriptor"]] }],
  call: Effect.fnUntraced(function*({ bip32derivs, descriptors, finalize, psbt: given, sighashtype }, node) {
    const provider = yield* providerOf(descriptors, { secrets: false, origins: !bip32derivs }, node)
    const hashType = sighashtype === undefined ? undefined : yield* Effect.fromResult(hashTypeOf(sighashtype))
    const psbt = yield* givenPsbt(given, node)
    yield* processPsbt(psbt, provider, { hashType, finalize }, node)
    const signed = signedPsbt(psbt, node.crypto)!
    const complete = [...psbt.inputs.keys()].every((i) => isInputFinal(signed, i))
    const answer = { psbt: psbtText(psbt), complete }
    if (!complete) return answer
    yield* finalizePsbt(psbt, node.crypto)
    return { ...answer, hex: hexOf(finalTransaction(psbt)!.bytes) }
  })
})
