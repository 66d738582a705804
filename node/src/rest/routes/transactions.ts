import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { JsonNumber, type JsonValue } from "../../json/json-value.ts"
import { described, Hex, optionalDescribed, variant } from "../../answers/result-schema.ts"
import { hashOf } from "../../methods/definition/parameter.ts"
import { createrawtransaction } from "../../methods/createrawtransaction.ts"
import { decoderawtransaction } from "../../methods/decoderawtransaction.ts"
import { getrawtransaction, RawTransaction } from "../../methods/getrawtransaction.ts"
import { gettxout, UnspentOutput } from "../../methods/gettxout.ts"
import { gettxoutproof } from "../../methods/gettxoutproof.ts"
import { sendrawtransaction } from "../../methods/sendrawtransaction.ts"
import { TestedTransaction, testmempoolaccept } from "../../methods/testmempoolaccept.ts"
import { indexState } from "../../queries/index-state.ts"
import type { QueryNode } from "../../queries/query-node.ts"
import { methodRoute, named } from "../method-route.ts"
import { RestProblem } from "../rest-problem.ts"
import type { RequestInputs, Route } from "../route.ts"

const SWITCH_ON = "Set [storage.indexing].txindex = true, or say with ?block=<hash> which block it is in"

/** Fails if the transaction can be found nowhere: without a block, it is in the mempool or needs the index. */
const findable = Effect.fnUntraced(function*(given: RequestInputs, node: QueryNode) {
  if (given.has("block") || (yield* indexState(node, "txindex")) !== undefined) return
  const txid = yield* Effect.fromResult(hashOf(given.get("txid") ?? null, "txid"))
  if ((yield* node.chain.call("mempoolTransaction", { id: txid, kind: "txid" })) !== undefined) return
  yield* Effect.fail(
    new RestProblem(501, "It is not in the mempool, and this node keeps no index of transactions", [SWITCH_ON])
  )
})

const byId = {
  txid: { place: "path" },
  block: { place: "query", parameter: "blockhash" }
} as const

const WITH_FIELDS = new JsonNumber("1")
const WITH_PREVOUTS = new JsonNumber("2")

const transaction = methodRoute({
  verb: "GET",
  path: "/transactions/{txid}",
  summary: "A transaction, found in the mempool, by the transaction index or in the block that is given.",
  method: getrawtransaction,
  inputs: {
    ...byId,
    prevouts: {
      place: "query",
      parameter: "verbosity",
      kind: "boolean",
      shown: {
        description: "Whether to show the outputs that are spent",
        standard: "false",
        ast: Schema.Boolean.ast
      },
      // Another level of detail, which only JSON has.
      to: (isWanted, isJson) => isWanted === true && isJson ? WITH_PREVOUTS : undefined
    }
  },
  fixed: { verbosity: WITH_FIELDS },
  fixedForBytes: { verbosity: new JsonNumber("0") },
  result: variant("verbosity=1 or 2", RawTransaction).ast,
  before: findable
})

const Confirmations = Schema.Struct({
  txid: described(Hex, "The id of the transaction"),
  blockhash: optionalDescribed(Hex, "Its block; none: it is in the mempool"),
  confirmations: described(
    Schema.Number,
    "Blocks from its block to the tip; 0 in the mempool, or when that is not in the active chain"
  )
})

/** Tests one transaction, whereas the RPC method takes a list. */
const test = methodRoute({
  verb: "POST",
  path: "/transactions/test",
  summary: "Whether the node would accept a transaction. Nothing is stored or sent.",
  method: testmempoolaccept,
  inputs: {
    hexstring: {
      place: "body",
      parameter: "rawtxs",
      kind: "text",
      shown: { ast: Schema.String.ast },
      to: (digits) => [digits]
    },
    maxfeerate: { place: "body" }
  },
  bytesInput: "hexstring",
  result: TestedTransaction.ast,
  shape: (result) => (result as ReadonlyArray<JsonValue>)[0]!
})

const output = (result: JsonValue): JsonValue | RestProblem =>
  result ?? new RestProblem(404, "There is no such output, or it is spent")

export const TRANSACTION_ROUTES: ReadonlyArray<Route> = [
  transaction,
  methodRoute({
    verb: "GET",
    path: "/transactions/{txid}/confirmations",
    summary: "How deep in the chain a transaction is.",
    method: getrawtransaction,
    inputs: byId,
    fixed: { verbosity: WITH_FIELDS },
    result: Confirmations.ast,
    before: findable,
    shape: (result) => {
      const { blockhash, confirmations = 0, txid } = result as { readonly [name: string]: JsonValue }
      return { txid, blockhash, confirmations }
    }
  }),
  methodRoute({
    verb: "GET",
    path: "/transactions/{txid}/outputs/{n}",
    summary: "An unspent output.",
    method: gettxout,
    inputs: { txid: { place: "path" }, n: { place: "path" }, include_mempool: { place: "query" } },
    result: variant("otherwise", UnspentOutput).ast,
    shape: output
  }),
  methodRoute({
    verb: "GET",
    path: "/transactions/{txid}/proof",
    summary: "A proof that a transaction is in a block.",
    method: gettxoutproof,
    inputs: {
      txid: { place: "path", parameter: "txids", kind: "list" },
      block: { place: "query", parameter: "blockhash" }
    },
    fixedForBytes: {},
    ...named("proof", described(Hex, "The proof, as verifytxoutproof takes it"))
  }),
  methodRoute({
    verb: "POST",
    path: "/transactions",
    summary: "Sends a transaction: the mempool keeps it, and it is announced to all peers.",
    method: sendrawtransaction,
    inputs: { hexstring: { place: "body" }, maxfeerate: { place: "body" }, maxburnamount: { place: "body" } },
    bytesInput: "hexstring",
    ...named("txid", described(Hex, "The id of the transaction")),
    statuses: { Verify: 422, Rejected: 422, AlreadyInUtxoSet: 409 }
  }),
  test,
  methodRoute({
    verb: "POST",
    path: "/transactions/decode",
    summary: "What is in a transaction. It need not be valid, nor known to this node.",
    method: decoderawtransaction,
    inputs: { hexstring: { place: "body" }, iswitness: { place: "body" } },
    bytesInput: "hexstring"
  }),
  methodRoute({
    verb: "POST",
    path: "/transactions/create",
    summary: "Makes a transaction without signatures. Nothing is stored or sent.",
    method: createrawtransaction,
    inputs: {
      inputs: { place: "body" },
      outputs: { place: "body" },
      locktime: { place: "body" },
      replaceable: { place: "body" },
      version: { place: "body" }
    },
    ...named("hex", described(Hex, "The transaction")),
    statuses: { InvalidAddressOrKey: 400 }
  })
]
