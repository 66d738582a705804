import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { displayHash } from "../../hex.ts"
import { described, Hex } from "../../answers/result-schema.ts"
import { getmempoolancestors } from "../../methods/getmempoolancestors.ts"
import { getmempooldescendants } from "../../methods/getmempooldescendants.ts"
import { getmempoolentry } from "../../methods/getmempoolentry.ts"
import { getmempoolinfo } from "../../methods/getmempoolinfo.ts"
import { getrawmempool } from "../../methods/getrawmempool.ts"
import { describeEntries, MempoolEntry } from "../../answers/mempool-entry.ts"
import { savemempool } from "../../methods/savemempool.ts"
import { prioritisetransaction } from "../../methods/prioritisetransaction.ts"
import type { QueryNode } from "../../queries/query-node.ts"
import { methodRoute, named } from "../method-route.ts"
import { PAGE_INPUTS, pageOf } from "../paging.ts"
import { makeInput, OPEN_READ, type Route } from "../route.ts"

const HASH_BYTES = 32

const Listed = Schema.Struct({ txid: described(Hex, "The id of the transaction"), ...MempoolEntry.fields })

/** Returns the entries of these txids. Transactions that have left the mempool since are omitted. */
const entriesOf = Effect.fnUntraced(function*(txids: ReadonlyArray<Uint8Array>, node: QueryNode) {
  const found = yield* Effect.forEach(txids, (txid) => node.chain.call("mempoolEntry", { txid }))
  const entries = found.filter((entry) => entry !== undefined)
  const entriesJson = yield* describeEntries(node, entries)
  return entriesJson.map((each, i) => ({ txid: displayHash(entries[i]!.txid), ...each }))
})

const list: Route = {
  ...OPEN_READ,
  path: "/mempool",
  summary: "The transactions of the mempool, in the order in which they are mined.",
  method: getrawmempool.name,
  inputs: [
    makeInput("verbose", "query", "boolean", "Whether to describe each of them", "false"),
    ...PAGE_INPUTS
  ],
  result: Schema.Array(Schema.Union([Hex, Listed])).ast,
  isPaged: true,
  answer: Effect.fnUntraced(function*(given, node) {
    const { txids } = yield* node.chain.call("mempoolIds", undefined)
    const page = yield* Effect.fromResult(pageOf(given, txids.length / HASH_BYTES))
    const wanted = Array.from(
      { length: Math.max(0, Math.min(page.limit, page.total - page.offset)) },
      (_, i) => txids.slice((page.offset + i) * HASH_BYTES, (page.offset + i + 1) * HASH_BYTES)
    )
    const data = given.get("verbose") === true ? yield* entriesOf(wanted, node) : wanted.map(displayHash)
    return { data, page }
  })
}

const byTxid = { txid: { place: "path" } } as const
const relatives = { ...byTxid, verbose: { place: "query" } } as const

export const MEMPOOL_ROUTES: ReadonlyArray<Route> = [
  list,
  methodRoute({
    verb: "GET",
    path: "/mempool/stats",
    summary: "How full the mempool is, and what it asks of transactions.",
    method: getmempoolinfo
  }),
  methodRoute({
    verb: "GET",
    path: "/mempool/transactions/{txid}",
    summary: "A transaction of the mempool.",
    method: getmempoolentry,
    inputs: byTxid
  }),
  methodRoute({
    verb: "GET",
    path: "/mempool/transactions/{txid}/ancestors",
    summary: "The transactions of the mempool on which it stands.",
    method: getmempoolancestors,
    inputs: relatives
  }),
  methodRoute({
    verb: "GET",
    path: "/mempool/transactions/{txid}/descendants",
    summary: "The transactions of the mempool that stand on it.",
    method: getmempooldescendants,
    inputs: relatives
  }),
  methodRoute({
    verb: "POST",
    path: "/mempool/transactions/{txid}/priority",
    summary: "Adds to the fee by which a transaction is mined, or takes from it.",
    method: prioritisetransaction,
    inputs: { ...byTxid, fee_delta: { place: "body" } },
    ...named("prioritised", described(Schema.Boolean, "true"))
  }),
  methodRoute({
    verb: "POST",
    path: "/mempool/save",
    summary: "Saves the mempool to its file.",
    method: savemempool
  })
]
