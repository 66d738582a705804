import { bytesEqual } from "@lockstep/kernel/bytes"
import { blockSubsidy } from "@lockstep/kernel/connect"
import { headerOf } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { BlockFacts } from "../engine/api/chain-calls.ts"
import { displayHash } from "../hex.ts"
import type { JsonValue } from "../json/json-value.ts"
import { method } from "./definition/method.ts"
import { anything, array, optional, stringOf } from "./definition/parameter.ts"
import { Hex, optionalDescribed, Time } from "../answers/result-schema.ts"
import { invalidParameter, type CallError, callError } from "../queries/call-error.ts"
import type { MethodNode } from "./definition/method-node.ts"
import { knownBlock, readBlock } from "../queries/block-lookup.ts"
import { blockStatistics } from "./chain/block-statistics.ts"
import { undoOf } from "../queries/block-undo.ts"
import { blockNamed, HashOrHeight } from "./chain/hash-or-height.ts"

const number = (description: string) => optionalDescribed(Schema.Number, description)

const Statistics = Schema.Struct({
  avgfee: number("The mean fee, in satoshis like all amounts here"),
  avgfeerate: number("The mean fee rate, in satoshis a virtual byte like all rates here"),
  avgtxsize: number("The mean size of a transaction"),
  blockhash: optionalDescribed(Hex, "The hash of the block"),
  feerate_percentiles: optionalDescribed(
    Schema.Array(Schema.Number),
    "Fee rates at 10, 25, 50, 75 and 90 percent of the weight"
  ),
  height: number("The height of the block"),
  ins: number("Inputs, without the coinbase's"),
  maxfee: number("The highest fee"),
  maxfeerate: number("The highest fee rate"),
  maxtxsize: number("The size of the largest transaction"),
  medianfee: number("The median fee, without its fraction"),
  mediantime: optionalDescribed(Time, "The median time of the block and the ten before it"),
  mediantxsize: number("The median size of a transaction, without its fraction"),
  minfee: number("The lowest fee"),
  minfeerate: number("The lowest fee rate"),
  mintxsize: number("The size of the smallest transaction"),
  outs: number("Outputs"),
  subsidy: optionalDescribed(Schema.BigInt.annotate({ jsonType: "number" }), "What the block may create"),
  swtotal_size: number("Bytes of transactions with witnesses"),
  swtotal_weight: number("Weight of transactions with witnesses"),
  swtxs: number("Transactions with witnesses"),
  time: optionalDescribed(Time, "The time in the header"),
  total_out: optionalDescribed(
    Schema.BigInt.annotate({ jsonType: "number" }),
    "What all outputs but the coinbase's hold"
  ),
  total_size: number("Bytes of all transactions but the coinbase"),
  total_weight: number("Weight of all transactions but the coinbase"),
  totalfee: number("All fees"),
  txs: number("Transactions, with the coinbase"),
  utxo_increase: number("New outputs less those spent"),
  utxo_size_inc: number("The same in bytes, as outputs are stored"),
  utxo_increase_actual: number("New outputs less those spent, without unspendable outputs"),
  utxo_size_inc_actual: number("The same in bytes, as outputs are stored")
})

const spentIn = Effect.fnUntraced(function*(facts: BlockFacts, node: MethodNode) {
  if (facts.height === 0) return []
  const undo = yield* undoOf(facts, node)
  if (undo !== undefined) return undo.spent
  return yield* Effect.fail(
    facts.pruned
      ? callError("BlockNotAvailable", "Undo data not available (pruned data)")
      : callError("BlockUnreadable", "Can't read undo data from disk")
  )
})

const factsOf = Effect.fnUntraced(function*(value: Parameters<typeof blockNamed>[0], node: MethodNode) {
  const name = yield* blockNamed(value, node)
  const hash = "hash" in name ? name.hash : yield* node.chain.call("hashAt", { height: name.height })
  return yield* knownBlock(node, hash ?? new Uint8Array(32))
})

const statisticsOf = Effect.fnUntraced(
  function*(facts: BlockFacts, node: MethodNode): Effect.fn.Return<JsonObject, CallError> {
    const { repeatedCoinbases, subsidyHalvingInterval } = node.network.parameters
    const block = yield* readBlock(node, facts)
    const spent = yield* spentIn(facts, node)
    const countsCoinbase = facts.height > 0 && !repeatedCoinbases.some(({ hash }) => bytesEqual(hash, facts.hash))
    const all: JsonObject = {
      ...blockStatistics(block, spent, countsCoinbase),
      blockhash: displayHash(facts.hash),
      height: facts.height,
      mediantime: facts.medianTime,
      subsidy: blockSubsidy(facts.height, subsidyHalvingInterval),
      time: headerOf(facts.header).time
    }
    return Object.fromEntries(Object.keys(Statistics.fields).map((name) => [name, all[name]!]))
  }
)

type JsonObject = { readonly [name: string]: JsonValue }

const selected = (all: JsonObject, names: ReadonlyArray<string>): Result.Result<JsonObject, CallError> => {
  if (names.length === 0) return Result.succeed(all)
  const sorted = [...new Set(names)].toSorted()
  const unknown = sorted.find((name) => !Object.hasOwn(all, name))
  return unknown === undefined
    ? Result.succeed(Object.fromEntries(sorted.map((name) => [name, all[name]!])))
    : Result.fail(invalidParameter(`Invalid selected statistic '${unknown}'`))
}

export const getblockstats = method({
  name: "getblockstats",
  category: "blockchain",
  privilege: "anyone",
  description:
    "Answers statistics of a block: fees, sizes and how it changed the set of unspent outputs. Old blocks may be pruned.",
  parameters: {
    hash_or_height: anything({ description: "The block, by hash or by height" }, HashOrHeight),
    stats: optional(
      array(
        { usage: "stats", description: "The figures wanted, by name; all if missing or empty" },
        Schema.Array(Schema.String)
      )
    )
  },
  result: Statistics,
  examples: [{ params: [1000, ["minfeerate", "avgfeerate"]] }],
  call: Effect.fnUntraced(function*({ hash_or_height, stats = [] }, node) {
    const facts = yield* factsOf(hash_or_height, node)
    const names = yield* Effect.forEach(stats, (name) => Effect.fromResult(stringOf(name)))
    const all = yield* statisticsOf(facts, node)
    return (yield* Effect.fromResult(selected(all, names))) as typeof Statistics.Type
  })
})
