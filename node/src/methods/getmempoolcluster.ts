import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { displayHash } from "../hex.ts"
import { amount } from "../json/number-text.ts"
import { method } from "./definition/method.ts"
import { hash } from "./definition/parameter.ts"
import { Amount, described, Hex } from "../answers/result-schema.ts"
import { NOT_IN_MEMPOOL } from "../answers/mempool-entry.ts"

const Chunk = Schema.Struct({
  chunkfee: described(Amount, "Its modified fees in BTC"),
  chunkweight: described(Schema.Number, "Its weight, as it is charged for"),
  txs: described(Schema.Array(Hex), "Its transactions, in the order in which they are mined")
})

const Cluster = Schema.Struct({
  clusterweight: described(Schema.Number, "The weight of all its transactions, as it is charged for"),
  txcount: described(Schema.Number, "How many transactions it has"),
  chunks: described(Schema.Array(Chunk), "Its chunks, the one that is mined first in front")
})

export const getmempoolcluster = method({
  name: "getmempoolcluster",
  category: "blockchain",
  privilege: "anyone",
  description: "Shows the cluster that a transaction of the mempool is in: all that spend each other, directly or not.",
  parameters: { txid: hash({ description: "The id of the transaction, which is in the mempool" }) },
  result: Cluster,
  examples: [{ params: ["4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b"] }],
  call: Effect.fnUntraced(function*({ txid }, { chain }) {
    const cluster = yield* chain.call("mempoolCluster", { txid })
    if (cluster === undefined) return yield* Effect.fail(NOT_IN_MEMPOOL)
    return {
      clusterweight: cluster.weight,
      txcount: cluster.count,
      chunks: cluster.chunks.map(({ fee, txids, weight }) => ({
        chunkfee: amount(fee),
        chunkweight: weight,
        txs: txids.map(displayHash)
      }))
    }
  })
})
