import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { displayHash } from "../hex.ts"
import { method } from "./definition/method.ts"
import { boolean, optionalWith } from "./definition/parameter.ts"
import { described, Hex, variant } from "../answers/result-schema.ts"
import { invalidParameter } from "../queries/rpc-error.ts"
import { describeByTxid, MempoolEntries } from "../answers/mempool-entry.ts"

const HASH_BYTES = 32

const Sequenced = Schema.Struct({
  txids: described(Schema.Array(Hex), "The ids"),
  mempool_sequence: described(Schema.Number, "The number of the mempool's next event")
})

const idsOf = (txids: Uint8Array): ReadonlyArray<string> =>
  Array.from(
    { length: txids.length / HASH_BYTES },
    (_, i) => displayHash(txids.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES))
  )

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
  result: Schema.Union([
    variant("verbose=false", Schema.Array(Hex)),
    variant("verbose=true: by txid", MempoolEntries),
    variant("verbose=false and mempool_sequence=true", Sequenced)
  ]),
  examples: [{ params: [] }, { params: [true] }],
  call: Effect.fnUntraced(function*({ mempool_sequence, verbose }, node) {
    const { chain } = node
    if (verbose && mempool_sequence) {
      return yield* Effect.fail(invalidParameter("Verbose results cannot contain mempool sequence values."))
    }
    if (verbose) return yield* describeByTxid(node, yield* chain.call("mempoolEntries", undefined))
    const { sequence, txids } = yield* chain.call("mempoolIds", undefined)
    const ids = idsOf(txids)
    return mempool_sequence ? { txids: ids, mempool_sequence: sequence } : ids
  })
})
