import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { JsonNumber, type JsonRead, type JsonValue } from "../../json/json-value.ts"
import { described, Hex, optionalDescribed } from "../../answers/result-schema.ts"
import { hashOf } from "../../methods/definition/parameter.ts"
import { createrawtransaction } from "../../methods/createrawtransaction.ts"
import { decoderawtransaction } from "../../methods/decoderawtransaction.ts"
import { getrawtransaction } from "../../methods/getrawtransaction.ts"
import { gettxout } from "../../methods/gettxout.ts"
import { gettxoutproof } from "../../methods/gettxoutproof.ts"
import { sendrawtransaction } from "../../methods/sendrawtransaction.ts"
import { TestedTransaction, testmempoolaccept } from "../../methods/testmempoolaccept.ts"
import { RpcErrorCode } from "../../queries/rpc-error.ts"
import type { MethodNode } from "../../methods/definition/method-node.ts"
import { caseOf, methodRoute, single } from "../method-route.ts"
import { RestProblem } from "../rest-problem.ts"
import type { RequestInputs, Route } from "../route.ts"

const SWITCH_ON = "Set [storage.indexing].txindex = true, or say with ?block=<hash> which block it is in"

/** Without the block, a transaction is found in the mempool, or by the index alone. */
const findable = Effect.fnUntraced(function*(given: RequestInputs, { chain }: MethodNode) {
  if (given.has("block")) return
  const indexes = yield* chain.call("indexes", undefined)
  if (indexes.some(({ name }) => name === "txindex")) return
  const txid = yield* Effect.fromResult(hashOf(given.get("txid") ?? null, "txid"))
  if ((yield* chain.call("mempoolTransaction", { id: txid, kind: "txid" })) !== undefined) return
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

const raw = methodRoute({
  verb: "GET",
  path: "/transactions/{txid}",
  summary: "A transaction, found in the mempool, by the transaction index or in the block that is given.",
  method: getrawtransaction,
  inputs: { ...byId, prevouts: { place: "query", parameter: "verbosity", kind: "boolean" } },
  fixed: { verbosity: WITH_FIELDS },
  fixedForBytes: { verbosity: new JsonNumber("0") },
  resultCase: "verbosity=1 or 2",
  before: findable
})

/** `prevouts` is another amount of detail, which only JSON has. */
const withDetail = (given: RequestInputs, isJson: boolean): RequestInputs => {
  const changed = new Map<string, JsonRead>(given)
  changed.delete("prevouts")
  if (isJson && given.get("prevouts") === true) changed.set("prevouts", WITH_PREVOUTS)
  return changed
}

const transaction: Route = {
  ...raw,
  inputs: raw.inputs.map((input) =>
    input.name === "prevouts"
      ? {
        ...input,
        description: "Whether to show the outputs that are spent",
        standard: "false",
        ast: Schema.Boolean.ast
      }
      : input
  ),
  answer: (given, node, form) => raw.answer(withDetail(given, form === "json"), node, form)
}

const Confirmations = Schema.Struct({
  txid: described(Hex, "The id of the transaction"),
  blockhash: optionalDescribed(Hex, "Its block; none: it is in the mempool"),
  confirmations: described(
    Schema.Number,
    "Blocks from its block to the tip; 0 in the mempool, or when that is not in the active chain"
  )
})

const testing = methodRoute({
  verb: "POST",
  path: "/transactions/test",
  summary: "Whether the node would accept a transaction. Nothing is stored or sent.",
  method: testmempoolaccept,
  inputs: { hexstring: { place: "body", parameter: "rawtxs", kind: "text" }, maxfeerate: { place: "body" } },
  bytesInput: "hexstring",
  result: TestedTransaction.ast,
  shape: (result) => (result as ReadonlyArray<JsonValue>)[0]!
})

/** RPC takes a list of transactions here; a resource takes one, and answers for it. */
const test: Route = {
  ...testing,
  inputs: testing.inputs.map((input) => input.name === "hexstring" ? { ...input, ast: Schema.String.ast } : input),
  answer: (given, node, form) =>
    testing.answer(new Map([...given, ["hexstring", [given.get("hexstring")!]]]), node, form)
}

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
    result: caseOf(gettxout, "otherwise"),
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
    result: Schema.Struct({ proof: described(Hex, "The proof, as verifytxoutproof takes it") }).ast,
    shape: (proof) => ({ proof })
  }),
  methodRoute({
    verb: "POST",
    path: "/transactions",
    summary: "Sends a transaction: the mempool keeps it, and it is announced to all peers.",
    method: sendrawtransaction,
    inputs: { hexstring: { place: "body" }, maxfeerate: { place: "body" }, maxburnamount: { place: "body" } },
    bytesInput: "hexstring",
    result: single("txid", described(Hex, "The id of the transaction")),
    shape: (txid) => ({ txid }),
    statuses: { [RpcErrorCode.verify]: 422, [RpcErrorCode.rejected]: 422, [RpcErrorCode.alreadyInSet]: 409 }
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
    result: Schema.Struct({ hex: described(Hex, "The transaction") }).ast,
    shape: (hex) => ({ hex }),
    // An address in it that is none.
    statuses: { [-5]: 400 }
  })
]
