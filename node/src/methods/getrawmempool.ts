import * as Effect from "effect/Effect"
import { method } from "./definition/method.ts"
import { boolean, optionalWith } from "./definition/parameter.ts"
import { MempoolContents, mempoolContents } from "../answers/mempool-contents.ts"
import { invalidParameter } from "../queries/call-error.ts"

export const getrawmempool = method({
  name: "getrawmempool",
  category: "blockchain",
  privilege: "anyone",
  description: "Lists the transactions of the mempool, in the order in which they are mined.",
  parameters: {
    verbose: optionalWith(boolean({ description: "Whether to describe each of them" }), false),
    mempool_sequence: optionalWith(
      boolean({ description: "Whether to answer the number of the mempool's next event as well; not with verbose" }),
      false
    )
  },
  result: MempoolContents,
  examples: [{ params: [] }, { params: [true] }],
  call: ({ mempool_sequence, verbose }, node) =>
    verbose && mempool_sequence
      ? Effect.fail(invalidParameter("Verbose results cannot contain mempool sequence values."))
      : mempoolContents(node, verbose ? "entries" : mempool_sequence ? "ids and sequence" : "ids")
})
