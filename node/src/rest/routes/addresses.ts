import type { Height } from "@lockstep/kernel/quantities"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { ScriptSums, UnspentOutput } from "../../engine/api/output-calls.ts"
import { displayHash } from "../../hex.ts"
import { addressFault } from "../../methods/decode/address-fault.ts"
import { amount } from "../../json/number-text.ts"
import { Amount, described, Hex, optionalDescribed } from "../../answers/result-schema.ts"
import { indexState } from "../../queries/index-state.ts"
import type { QueryNode } from "../../queries/query-node.ts"
import { scriptOfAddress } from "@lockstep/descriptors/script-text/address.ts"
import { satoshisOf } from "../../methods/raw-transaction/amount.ts"
import { PAGE_INPUTS, pageOf } from "../paging.ts"
import { RestProblem } from "../rest-problem.ts"
import { makeInput, OPEN_READ, type RequestInputs, type Route } from "../route.ts"

const ADDRESS = makeInput("address", "path", "text", "The address")

const WITH_MEMPOOL = makeInput(
  "include_mempool",
  "query",
  "boolean",
  "Whether outputs of the mempool are there, and what it spends is not",
  "true"
)

const withMempoolIn = (given: RequestInputs): boolean => given.get(WITH_MEMPOOL.name) !== false

const KEPT: Readonly<Record<"addressindex" | "valueindex", readonly [what: string, key: string]>> = {
  addressindex: ["addresses", "enable_address_index"],
  valueindex: ["values", "enable_value_index"]
}

/** Fails unless the index is enabled and synced to the tip. */
const isUsable = Effect.fnUntraced(function*(node: QueryNode, index: keyof typeof KEPT) {
  const [what, key] = KEPT[index]
  const state = yield* indexState(node, index)
  if (state === undefined) {
    const suggestion = `Set [storage.indexing].${key} = true`
    return yield* Effect.fail(new RestProblem(501, `This node keeps no index of ${what}`, [suggestion]))
  }
  if (state.synced) return
  yield* Effect.fail(
    new RestProblem(503, `The index of ${what} is behind the chain: it has come to block ${state.bestBlockHeight}`)
  )
})

const scriptIn = (
  given: RequestInputs,
  { network: { addresses } }: QueryNode
): Result.Result<Uint8Array, RestProblem> => {
  const text = String(given.get("address"))
  const script = scriptOfAddress(text, addresses)
  return script === undefined
    ? Result.fail(new RestProblem(400, `'${text}' is no address here: ${addressFault(text, addresses).error}`))
    : Result.succeed(script)
}

const Sums = Schema.Struct({
  received: described(Amount, "What its transactions pay to it"),
  sent: described(Amount, "What its transactions spend from it"),
  transactions: described(Schema.Number, "How many transactions do either")
})

const sumsJson = ({ received, sent, transactions }: ScriptSums): typeof Sums.Type => ({
  received: amount(received),
  sent: amount(sent),
  transactions
})

const Balance = Schema.Struct({
  address: described(Schema.String, "The address"),
  balance: described(Amount, "The value of its outputs that no block spends"),
  utxos: described(Schema.Number, "How many outputs these are"),
  height: described(Schema.Number, "The height of the tip for which this holds"),
  ...Sums.fields,
  unconfirmed: described(Sums, "The same of the mempool, which may spend outputs of either"),
  unconfirmed_balance: described(Amount, "The balance once all of the mempool is confirmed")
})

const balance: Route = {
  ...OPEN_READ,
  path: "/addresses/{address}/balance",
  summary: "What an address has, and what passed through it.",
  inputs: [ADDRESS],
  result: Balance.ast,
  isPaged: false,
  answer: Effect.fnUntraced(function*(given, node) {
    const script = yield* Effect.fromResult(scriptIn(given, node))
    yield* isUsable(node, "addressindex")
    const found = yield* node.chain.call("scriptSummary", { script })
    const data: typeof Balance.Type = {
      address: String(given.get("address")),
      balance: amount(found.balance),
      utxos: found.unspent,
      height: found.tipHeight,
      ...sumsJson(found.confirmed),
      unconfirmed: sumsJson(found.unconfirmed),
      unconfirmed_balance: amount(found.balance + found.unconfirmed.received - found.unconfirmed.sent)
    }
    return { data }
  })
}

const Listed = Schema.Struct({
  txid: described(Hex, "The id of the transaction"),
  received: described(Amount, "What it pays to the address"),
  sent: described(Amount, "What it spends from the address"),
  confirmations: described(Schema.Number, "Blocks from its block to the tip; 0: it is in the mempool"),
  height: optionalDescribed(Schema.Number, "The height of its block"),
  blockhash: optionalDescribed(Hex, "Its block")
})

const transactions: Route = {
  ...OPEN_READ,
  path: "/addresses/{address}/transactions",
  summary: "The transactions that pay to an address or spend from it: those of the mempool, then the newest blocks'.",
  inputs: [ADDRESS, ...PAGE_INPUTS],
  result: Schema.Array(Listed).ast,
  isPaged: true,
  answer: Effect.fnUntraced(function*(given, node) {
    const script = yield* Effect.fromResult(scriptIn(given, node))
    const part = yield* Effect.fromResult(pageOf(given, 0))
    yield* isUsable(node, "addressindex")
    const { tipHeight, total, transactions: found } = yield* node.chain.call("scriptTransactions", { script, part })
    const data = found.map(({ block, received, sent, txid }): typeof Listed.Type => ({
      txid: displayHash(txid),
      received: amount(received),
      sent: amount(sent),
      confirmations: block === undefined ? 0 : tipHeight - block.height + 1,
      ...block === undefined ? {} : { height: block.height, blockhash: displayHash(block.hash) }
    }))
    return { data, page: { ...part, total } }
  })
}

const Unspent = Schema.Struct({
  txid: described(Hex, "The id of the transaction that made it"),
  vout: described(Schema.Number, "The place of the output in it"),
  value: described(Amount, "The amount in BTC"),
  confirmations: described(Schema.Number, "Blocks from its block to the tip; 0: it is in the mempool"),
  height: optionalDescribed(Schema.Number, "The height of its block"),
  coinbase: described(Schema.Boolean, "Whether a coinbase made it")
})

const unspentJson =
  (tipHeight: Height) => ({ height, isCoinbase, txid, value: satoshis, vout }: UnspentOutput): typeof Unspent.Type => ({
    txid: displayHash(txid),
    vout,
    value: amount(satoshis),
    confirmations: height === undefined ? 0 : tipHeight - height + 1,
    ...height === undefined ? {} : { height },
    coinbase: isCoinbase
  })

const utxos: Route = {
  ...OPEN_READ,
  path: "/addresses/{address}/utxos",
  summary: "The unspent outputs of an address, those of the lowest block first and those of the mempool last.",
  inputs: [ADDRESS, WITH_MEMPOOL, ...PAGE_INPUTS],
  result: Schema.Array(Unspent).ast,
  isPaged: true,
  answer: Effect.fnUntraced(function*(given, node) {
    const script = yield* Effect.fromResult(scriptIn(given, node))
    const part = yield* Effect.fromResult(pageOf(given, 0))
    yield* isUsable(node, "addressindex")
    const withMempool = withMempoolIn(given)
    const { outputs, tipHeight, total } = yield* node.chain.call("scriptOutputs", { script, part, withMempool })
    return { data: outputs.map(unspentJson(tipHeight)), page: { ...part, total } }
  })
}

const MAX_MONEY_TEXT = "21000000"

/** Reads an amount in BTC from a query. */
const satoshisIn = (given: RequestInputs, name: string, standard: string): Result.Result<bigint, RestProblem> =>
  Result.mapError(
    satoshisOf(given.get(name) ?? standard),
    () => new RestProblem(400, `${name} must be an amount of 0 to ${MAX_MONEY_TEXT} BTC, not '${given.get(name)}'`)
  )

const outputsOfValue: Route = {
  ...OPEN_READ,
  path: "/outputs",
  summary: "The unspent outputs with a value in a range, the smallest first and those of the mempool last.",
  inputs: [
    makeInput("min_value", "query", "text", "The least value in BTC", "0"),
    makeInput("max_value", "query", "text", "The greatest value in BTC", MAX_MONEY_TEXT),
    WITH_MEMPOOL,
    ...PAGE_INPUTS
  ],
  result: Schema.Array(Unspent).ast,
  isPaged: true,
  answer: Effect.fnUntraced(function*(given, node) {
    const least = yield* Effect.fromResult(satoshisIn(given, "min_value", "0"))
    const most = yield* Effect.fromResult(satoshisIn(given, "max_value", MAX_MONEY_TEXT))
    if (least > most) return yield* Effect.fail(new RestProblem(400, "min_value must not be above max_value"))
    const part = yield* Effect.fromResult(pageOf(given, 0))
    yield* isUsable(node, "valueindex")
    const wanted = { least, most, part, withMempool: withMempoolIn(given) }
    const { outputs, tipHeight, total } = yield* node.chain.call("outputsOfValue", wanted)
    return { data: outputs.map(unspentJson(tipHeight)), page: { ...part, total } }
  })
}

export const ADDRESS_ROUTES: ReadonlyArray<Route> = [balance, transactions, utxos, outputsOfValue]
