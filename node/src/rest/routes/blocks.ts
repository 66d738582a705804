import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { callMethod } from "../../methods/definition/call-method.ts"
import { hexOf } from "../../hex.ts"
import { HeaderJson, headerJson } from "../../answers/header-json.ts"
import { TransactionFields, transactionJson } from "../../answers/transaction-json.ts"
import { JsonNumber, type JsonRead } from "../../json/json-value.ts"
import { hashOf } from "../../methods/definition/parameter.ts"
import { Hex, described } from "../../answers/result-schema.ts"
import { knownBlock, readBlock } from "../../queries/block-lookup.ts"
import { undoOf } from "../../queries/block-undo.ts"
import { getblock } from "../../methods/getblock.ts"
import { getblockfilter } from "../../methods/getblockfilter.ts"
import { getblockhash } from "../../methods/getblockhash.ts"
import { getblockheader } from "../../methods/getblockheader.ts"
import { getblockstats } from "../../methods/getblockstats.ts"
import { invalidateblock } from "../../methods/invalidateblock.ts"
import { preciousblock } from "../../methods/preciousblock.ts"
import { reconsiderblock } from "../../methods/reconsiderblock.ts"
import { type RpcError, RpcErrorCode } from "../../queries/rpc-error.ts"
import type { MethodNode } from "../../methods/definition/method-node.ts"
import { caseOf, methodRoute, single } from "../method-route.ts"
import { PAGE_INPUTS, pageOf } from "../paging.ts"
import { RestProblem } from "../rest-problem.ts"
import { type RequestInputs, type Input, OPEN_READ, type Route } from "../route.ts"

const NUMBER = { bytes: new JsonNumber("0"), ids: new JsonNumber("1") } as const

const byHash = { hash: { place: "path", parameter: "blockhash" } } as const

const input = (name: string, place: Input["place"], kind: Input["kind"], description: string): Input => ({
  name,
  place,
  kind,
  description,
  required: place === "path",
  standard: undefined,
  ast: (kind === "number" ? Schema.Int : kind === "boolean" ? Schema.Boolean : Schema.String).ast
})

/** The hash that a path names. */
const hashIn = (value: JsonRead | undefined) => Effect.fromResult(hashOf(value ?? "", "hash"))

/** What a block spent is known once it has been part of the active chain. */
const connectedOnce = Effect.fnUntraced(
  function*(given: RequestInputs, node: MethodNode): Effect.fn.Return<void, RpcError | RestProblem> {
    const { block, height, pruned, undo } = yield* knownBlock(node, yield* hashIn(given.get("hash")))
    if (block === undefined || undo !== undefined || height === 0 || pruned) return
    yield* Effect.fail(
      new RestProblem(404, "There are no statistics of a block that was never part of the active chain")
    )
  }
)

const SWITCH_ON = "Set [storage.indexing].blockfilterindex = true"

const filtersAreKept = (_: RequestInputs, { chain }: MethodNode): Effect.Effect<void, RpcError | RestProblem> =>
  Effect.flatMap(
    chain.call("indexes", undefined),
    (indexes) =>
      indexes.some(({ name }) => name === "basic block filter index")
        ? Effect.void
        : Effect.fail(new RestProblem(501, "This node keeps no index of block filters", [SWITCH_ON]))
  )

const list: Route = {
  ...OPEN_READ,
  path: "/blocks",
  summary: "The headers of the active chain, lowest first: offset is the height of the first one.",
  inputs: PAGE_INPUTS,
  result: Schema.Array(HeaderJson).ast,
  isPaged: true,
  answer: Effect.fnUntraced(function*(given, node) {
    const page = yield* Effect.fromResult(pageOf(given, node.chain.state().height + 1))
    const headers: Array<HeaderJson> = []
    for (let height = page.offset; height < Math.min(page.offset + page.limit, page.total); height++) {
      const hash = yield* node.chain.call("hashAt", { height })
      const facts = hash === undefined ? undefined : yield* node.chain.call("blockFacts", { hash })
      // The chain has become shorter since.
      if (facts === undefined) break
      headers.push(headerJson(facts))
    }
    return { data: headers, page }
  })
}

const atHeight: Route = {
  ...OPEN_READ,
  path: "/blocks/height/{height}",
  summary: "The block at a height of the active chain, with the ids of its transactions.",
  inputs: [input("height", "path", "number", "The height")],
  result: caseOf(getblock, "verbosity=1"),
  hasBytes: true,
  isPaged: false,
  statuses: { [RpcErrorCode.invalidParameter]: 404 },
  answer: Effect.fnUntraced(function*(given, node, form) {
    const hash = yield* callMethod(getblockhash, [given.get("height")!], node)
    return { data: yield* callMethod(getblock, [String(hash), form === "json" ? NUMBER.ids : NUMBER.bytes], node) }
  })
}

const Transactions = Schema.Array(
  Schema.Struct({ ...TransactionFields, hex: described(Hex, "The bytes of the transaction") })
)

const transactions: Route = {
  ...OPEN_READ,
  path: "/blocks/{hash}/transactions",
  summary: "The transactions of a block, part by part.",
  inputs: [
    input("hash", "path", "text", "The hash of the block"),
    input("prevouts", "query", "boolean", "Whether to show the outputs that are spent"),
    ...PAGE_INPUTS
  ],
  result: Transactions.ast,
  isPaged: true,
  answer: Effect.fnUntraced(function*(given, node) {
    const facts = yield* knownBlock(node, yield* hashIn(given.get("hash")))
    const block = yield* readBlock(node, facts)
    const page = yield* Effect.fromResult(pageOf(given, block.transactions.length))
    const undo = yield* undoOf(facts, node)
    const context = { crypto: node.crypto, prefixes: node.network.addresses }
    const show = given.get("prevouts") === true
    const data = block.transactions.slice(page.offset, page.offset + page.limit).map((tx, i) => {
      // The coinbase, which comes first, spends none.
      const coins = undo?.spent[page.offset + i - 1]
      return { ...transactionJson(tx, context, coins && { coins, show }), hex: hexOf(tx.bytes) }
    })
    return { data, page }
  })
}

const done = single("hash", described(Hex, "The block"))

const choice = (verb: string, summary: string, method: typeof invalidateblock): Route => {
  const route = methodRoute({
    verb: "POST",
    path: `/blocks/{hash}/${verb}`,
    summary,
    method,
    inputs: byHash,
    result: done
  })
  return {
    ...route,
    answer: (given, node, form) =>
      Effect.map(route.answer(given, node, form), () => ({ data: { hash: given.get("hash")! } }))
  }
}

export const BLOCK_ROUTES: ReadonlyArray<Route> = [
  list,
  atHeight,
  methodRoute({
    verb: "GET",
    path: "/blocks/{hash}",
    summary: "A block, with the ids of its transactions.",
    method: getblock,
    inputs: byHash,
    fixed: { verbosity: NUMBER.ids },
    fixedForBytes: { verbosity: NUMBER.bytes },
    resultCase: "verbosity=1",
    isImmutable: true
  }),
  methodRoute({
    verb: "GET",
    path: "/blocks/{hash}/header",
    summary: "The header of a block.",
    method: getblockheader,
    inputs: byHash,
    fixedForBytes: { verbose: false },
    resultCase: "verbose=true",
    isImmutable: true
  }),
  methodRoute({
    verb: "GET",
    path: "/blocks/{hash}/stats",
    summary: "Statistics of a block: fees, sizes, and how it changed the set of unspent outputs.",
    method: getblockstats,
    inputs: { hash: { place: "path", parameter: "hash_or_height" }, stats: { place: "query" } },
    before: connectedOnce
  }),
  transactions,
  methodRoute({
    verb: "GET",
    path: "/blocks/{hash}/filter",
    summary: "The filter of a block for light clients (BIP158), and its header.",
    method: getblockfilter,
    inputs: { ...byHash, type: { place: "query", parameter: "filtertype" } },
    before: filtersAreKept,
    // The index has not come to this block yet.
    statuses: { [RpcErrorCode.misc]: 503 }
  }),
  choice("invalidate", "Marks a block as invalid, and disconnects it and everything on top of it.", invalidateblock),
  choice("reconsider", "Undoes that a block and what is on top of it were marked as invalid.", reconsiderblock),
  choice("precious", "Prefers a block to all others with as much work.", preciousblock)
]
