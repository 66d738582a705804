import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { displayHash } from "../hex.ts"
import { method } from "./definition/method.ts"
import { described, optionalDescribed } from "../answers/result-schema.ts"

const Prioritised = Schema.Struct({
  fee_delta: described(Schema.BigInt.annotate({ jsonType: "number" }), "Satoshis that were added to what it pays"),
  in_mempool: described(Schema.Boolean, "Whether it is in the mempool"),
  modified_fee: optionalDescribed(
    Schema.BigInt.annotate({ jsonType: "number" }),
    "Satoshis that it is mined by, where it is in the mempool"
  )
})

export const getprioritisedtransactions = method({
  name: "getprioritisedtransactions",
  category: "mining",
  privilege: "anyone",
  description:
    "Lists what prioritisetransaction added to fees, by txid, also for transactions that are not in the mempool.",
  parameters: {},
  result: Schema.Record(Schema.String, Prioritised),
  examples: [{ params: [] }],
  call: (_, { chain }) =>
    Effect.map(
      chain.call("prioritised", undefined),
      (all) =>
        Object.fromEntries(all.map(({ delta, modifiedFee, txid }) => [displayHash(txid), {
          fee_delta: delta,
          in_mempool: modifiedFee !== undefined,
          modified_fee: modifiedFee
        }]))
    )
})
