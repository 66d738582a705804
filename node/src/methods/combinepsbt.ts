import { mergePsbt } from "@lockstep/protocol/psbt/merge-psbts.ts"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { psbtText } from "@lockstep/descriptors/psbt/psbt-text.ts"
import { method } from "./definition/method.ts"
import { array } from "./definition/parameter.ts"
import { givenPsbts } from "./psbt/given-psbt.ts"
import { invalidParameter } from "../queries/call-error.ts"

export const combinepsbt = method({
  name: "combinepsbt",
  category: "rawtransactions",
  privilege: "anyone",
  description:
    "Puts what several partially signed transactions know of one transaction into one. Implements the Combiner role.",
  parameters: {
    txs: array(
      { usage: "[\"psbt\",...]", description: "The partially signed transactions in base64" },
      Schema.Array(Schema.String)
    )
  },
  result: Schema.String,
  examples: [{ params: [["psbt", "psbt"]] }],
  call: Effect.fnUntraced(function*({ txs }, node) {
    if (txs.length === 0) return yield* Effect.fail(invalidParameter("Parameter 'txs' cannot be empty"))
    const [first, ...others] = yield* givenPsbts(txs, node)
    for (const other of others) {
      if (!mergePsbt(first!, other, node.crypto)) {
        return yield* Effect.fail(invalidParameter("PSBTs not compatible (different transactions)"))
      }
    }
    return psbtText(first!)
  })
})
