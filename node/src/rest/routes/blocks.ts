import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { blockJson, BlockWithIds } from "../../answers/block-json.ts"
import { hexOf } from "../../hex.ts"
import { HeaderJson, headerJson } from "../../answers/header-json.ts"
import { showContext, TransactionFields, transactionJson } from "../../answers/transaction-json.ts"
import { JsonBytes, JsonNumber, type JsonRead } from "../../json/json-value.ts"
import { hashOf, integerOf } from "../../methods/definition/parameter.ts"
import { described, Hex, variant } from "../../answers/result-schema.ts"
import { hashAtHeight, knownBlock, readBlock, readBlockBytes } from "../../queries/block-lookup.ts"
import { undoOf } from "../../queries/block-undo.ts"
import { getblock } from "../../methods/getblock.ts"
import { getblockfilter } from "../../methods/getblockfilter.ts"
import { getblockheader } from "../../methods/getblockheader.ts"
import { getblockstats } from "../../methods/getblockstats.ts"
import { invalidateblock } from "../../methods/invalidateblock.ts"
import { preciousblock } from "../../methods/preciousblock.ts"
import { reconsiderblock } from "../../methods/reconsiderblock.ts"
import type { CallError } from "../../queries/call-error.ts"
import { indexState } from "../../queries/index-state.ts"
import type { QueryNode } from "../../queries/query-node.ts"
import { methodRoute, named } from "../method-route.ts"
import { PAGE_INPUTS, pageOf } from "../paging.ts"
import { RestProblem } from "../rest-problem.ts"
import { makeInput, OPEN_READ, type RequestInputs, type Route } from "../route.ts"

const NUMBER = { bytes: new JsonNumber("0"), ids: new JsonNumber("1") } as const

const byHash = { hash: { place: "path", parameter: "blockhash" } } as const

/** Reads the hash in a path. */
const hashIn = (value: JsonRead | undefined) => Effect.fromResult(hashOf(value ?? "", "hash"))

/** Fails for a block that was never part of the active chain, whose spent outputs are unknown. */
const connectedOnce = Effect.fnUntraced(function*(given: RequestInputs, node: QueryNode) {
  const { block, height, pruned, undo } = yield* knownBlock(node, yield* hashIn(given.get("hash")))
  if (block === undefined || undo !== undefined || height === 0 || pruned) return
  yield* Effect.fail(
    new RestProblem(404, "There are no statistics of a block that was never part of the active chain")
  )
})

const SWITCH_ON = "Set [storage.indexing].blockfilterindex = true"

const filtersAreKept = (_: RequestInputs, node: QueryNode): Effect.Effect<void, CallError | RestProblem> =>
  Effect.flatMap(indexState(node, "basic block filter index"), (index) =>
    index === undefined
      ? Effect.fail(new RestProblem(501, "This node keeps no index of block filters", [SWITCH_ON]))
      : Effect.void)

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
  inputs: [makeInput("height", "path", "number", "The height")],
  result: variant("verbosity=1", BlockWithIds).ast,
  hasBytes: true,
  isPaged: false,
  statuses: { HeightNotInActiveChain: 404 },
  answer: Effect.fnUntraced(function*(given, node, form) {
    const height = yield* Effect.fromResult(integerOf(given.get("height")!))
    const facts = yield* knownBlock(node, yield* hashAtHeight(node, height))
    return {
      data: form === "json" ? yield* blockJson(node, facts, "ids") : new JsonBytes(yield* readBlockBytes(node, facts))
    }
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
    makeInput("hash", "path", "text", "The hash of the block"),
    makeInput("prevouts", "query", "boolean", "Whether to show the outputs that are spent"),
    ...PAGE_INPUTS
  ],
  result: Transactions.ast,
  isPaged: true,
  answer: Effect.fnUntraced(function*(given, node) {
    const facts = yield* knownBlock(node, yield* hashIn(given.get("hash")))
    const block = yield* readBlock(node, facts)
    const page = yield* Effect.fromResult(pageOf(given, block.transactions.length))
    const undo = yield* undoOf(facts, node)
    const context = showContext(node)
    const show = given.get("prevouts") === true
    const data = block.transactions.slice(page.offset, page.offset + page.limit).map((tx, i) => {
      // The coinbase, which comes first, spends no output.
      const coins = undo?.spent[page.offset + i - 1]
      return { ...transactionJson(tx, context, coins && { coins, show }), hex: hexOf(tx.bytes) }
    })
    return { data, page }
  })
}

const choice = (verb: string, summary: string, method: typeof invalidateblock): Route =>
  methodRoute({
    verb: "POST",
    path: `/blocks/{hash}/${verb}`,
    summary,
    method,
    inputs: byHash,
    ...named("hash", described(Hex, "The block")),
    shape: (_, given) => ({ hash: given.get("hash")! })
  })

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
    result: variant("verbosity=1", BlockWithIds).ast,
    isImmutable: true
  }),
  methodRoute({
    verb: "GET",
    path: "/blocks/{hash}/header",
    summary: "The header of a block.",
    method: getblockheader,
    inputs: byHash,
    fixedForBytes: { verbose: false },
    result: variant("verbose=true", HeaderJson).ast,
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
    before: filtersAreKept
  }),
  choice("invalidate", "Marks a block as invalid, and disconnects it and everything on top of it.", invalidateblock),
  choice("reconsider", "Undoes that a block and what is on top of it were marked as invalid.", reconsiderblock),
  choice("precious", "Prefers a block to all others with as much work.", preciousblock)
]
