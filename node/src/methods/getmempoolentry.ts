import * as Effect from "effect/Effect"
import { method } from "./definition/method.ts"
import { hash } from "./definition/parameter.ts"
import { describeEntries, MempoolEntry, NOT_IN_MEMPOOL } from "../answers/mempool-entry.ts"

export const getmempoolentry = method({
  name: "getmempoolentry",
  category: "blockchain",
  privilege: "anyone",
  description: "Describes a transaction of the mempool.",
  parameters: { txid: hash({ description: "The id of the transaction, which is in the mempool" }) },
  result: MempoolEntry,
  examples: [{ params: ["4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b"] }],
  call: Effect.fnUntraced(function*({ txid }, node) {
    const entry = yield* node.chain.call("mempoolEntry", { txid })
    if (entry === undefined) return yield* Effect.fail(NOT_IN_MEMPOOL)
    const [only] = yield* describeEntries(node, [entry])
    return only!
  })
})
