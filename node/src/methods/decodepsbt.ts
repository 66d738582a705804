import * as Effect from "effect/Effect"
import { method } from "./definition/method.ts"
import { text } from "./definition/parameter.ts"
import { givenPsbt } from "./psbt/given-psbt.ts"
import { PsbtJson, psbtJson } from "./psbt/psbt-json.ts"

export const decodepsbt = method({
  name: "decodepsbt",
  category: "rawtransactions",
  privilege: "anyone",
  description: "Answers what is in a partially signed transaction.",
  parameters: { psbt: text({ description: "The partially signed transaction in base64", takesAnyText: true }) },
  result: PsbtJson,
  examples: [{ params: ["psbt"] }],
  call: ({ psbt }, node) =>
    Effect.flatMap(
      givenPsbt(psbt, node),
      (found) => psbtJson(found, { crypto: node.crypto, prefixes: node.network.addresses })
    )
})
