import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "./definition/method.ts"
import { array, optionalWith, text } from "./definition/parameter.ts"
import { givenPsbt } from "./psbt/given-psbt.ts"
import { processPsbt, providerOf } from "./psbt/process-psbt.ts"
import { psbtText } from "@lockstep/descriptors/psbt/psbt-text.ts"
import { ScanObjects } from "./scan/scan-objects.ts"

export const utxoupdatepsbt = method({
  name: "utxoupdatepsbt",
  category: "rawtransactions",
  privilege: "anyone",
  description: [
    "Adds to a partially signed transaction what the chain, the mempool, the index of transactions and descriptors know",
    "of the outputs it spends and those it makes."
  ].join("\n"),
  parameters: {
    psbt: text({ description: "The partially signed transaction in base64", takesAnyText: true }),
    descriptors: optionalWith(
      array({ description: "Descriptors; ranged ones up to 1000 or their own range" }, ScanObjects),
      [],
      "[]"
    )
  },
  result: Schema.String,
  examples: [{ params: ["psbt"] }],
  call: Effect.fnUntraced(function*({ descriptors, psbt: given }, node) {
    const provider = yield* providerOf(descriptors, { secrets: true, origins: false }, node)
    const psbt = yield* givenPsbt(given, node)
    yield* processPsbt(psbt, provider, { hashType: undefined, finalize: false }, node)
    return psbtText(psbt)
  })
})
