import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { method } from "./definition/method.ts"
import { double, hash, int64, optional } from "./definition/parameter.ts"
import { invalidParameter } from "../queries/call-error.ts"

export const prioritisetransaction = method({
  name: "prioritisetransaction",
  category: "mining",
  privilege: "admin",
  description: [
    "Adds to the fee by which a transaction is mined, evicted and replaced, or takes from it. It is not paid. It adds up over calls,",
    "and holds for a transaction that comes later as well."
  ].join("\n"),
  parameters: {
    txid: hash({ description: "The id of the transaction" }),
    dummy: optional(double({ description: "0 or null; it had a meaning once" })),
    fee_delta: int64({ description: "Satoshis to add; negative: to take away" })
  },
  result: Schema.Boolean.annotate({ description: "true" }),
  examples: [{ params: ["4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b", 0, 10_000] }],
  call: Effect.fnUntraced(function*({ dummy, fee_delta, txid }, { chain }) {
    if (dummy !== undefined && dummy !== 0) {
      return yield* Effect.fail(
        invalidParameter("Priority is no longer supported, dummy argument to prioritisetransaction must be 0.")
      )
    }
    const isTaken = yield* chain.call("prioritise", { txid, delta: fee_delta })
    return isTaken || (yield* Effect.fail(
      invalidParameter("Priority is not supported for transactions with dust outputs.")
    ))
  })
})
