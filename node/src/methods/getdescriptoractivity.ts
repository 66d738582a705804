import { decodeTransaction, isCoinbase, type Transaction, transactionId } from "@lockstep/kernel/model"
import type { Coin } from "@lockstep/kernel/utxo"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { BlockFacts } from "../engine/api/chain-calls.ts"
import { displayHash, hexOf } from "../hex.ts"
import { ScriptPubKey, scriptPubKey } from "../answers/script-pub-key.ts"
import type { JsonRead } from "../json/json-value.ts"
import { amount } from "../json/number-text.ts"
import { method } from "./definition/method.ts"
import { array, boolean, hashOf, optionalWith } from "./definition/parameter.ts"
import { Amount, described, Hex, optionalDescribed } from "../answers/result-schema.ts"
import { invalidParameter, type CallError } from "../queries/call-error.ts"
import type { MethodNode } from "./definition/method-node.ts"
import { knownBlock, readBlock } from "../queries/block-lookup.ts"
import { undoOf } from "../queries/block-undo.ts"
import { ScanObjects, wantedScripts } from "./scan/scan-objects.ts"

const Spend = Schema.Struct({
  type: described(Schema.Literal("spend"), "An output is spent"),
  amount: described(Amount, "Its amount in BTC"),
  blockhash: optionalDescribed(Hex, "The block that spends it; none: it is in the mempool"),
  height: optionalDescribed(Schema.Number, "The height of that block"),
  spend_txid: described(Hex, "The transaction that spends it"),
  spend_vin: described(Schema.Number, "The place of the input"),
  prevout_txid: described(Hex, "The transaction that made it"),
  prevout_vout: described(Schema.Number, "Its place in that one"),
  prevout_spk: described(ScriptPubKey, "Its script")
})

const Receive = Schema.Struct({
  type: described(Schema.Literal("receive"), "An output is made"),
  amount: described(Amount, "Its amount in BTC"),
  blockhash: optionalDescribed(Hex, "The block that makes it; none: it is in the mempool"),
  height: optionalDescribed(Schema.Number, "The height of that block"),
  txid: described(Hex, "The transaction that makes it"),
  vout: described(Schema.Number, "Its place in that one"),
  output_spk: described(ScriptPubKey, "Its script")
})

const Activity = Schema.Struct({
  activity: described(
    Schema.Array(Schema.Union([Spend, Receive])),
    "What happened, in the order of blocks and transactions"
  )
})

type Event = typeof Activity.Type["activity"][number]

/** An output that is spent. */
type SpentOutput = Pick<Coin, "value" | "script">

/** The scripts to search for, and the list that collects events. */
interface Watch {
  readonly scripts: ReadonlyMap<string, unknown>
  readonly events: Array<Event>
  readonly node: MethodNode
}

/**
 * Records the events of a transaction that involve the scripts. `spent` has one entry per input, `undefined` if
 * unknown.
 */
const noteTransaction = (
  tx: Transaction,
  spent: ReadonlyArray<SpentOutput | undefined>,
  block: BlockFacts | undefined,
  { events, node, scripts }: Watch
): void => {
  const place = block === undefined ? {} : { blockhash: displayHash(block.hash), height: block.height }
  const txid = displayHash(transactionId(tx, node.crypto))
  for (const [i, { prevout }] of tx.inputs.entries()) {
    const output = spent[i]
    if (output === undefined || !scripts.has(hexOf(output.script))) continue
    events.push({
      type: "spend",
      amount: amount(output.value),
      ...place,
      spend_txid: txid,
      spend_vin: i,
      prevout_txid: displayHash(prevout.txid),
      prevout_vout: prevout.vout,
      prevout_spk: scriptPubKey(output.script, node.network.addresses)
    })
  }
  for (const [vout, { script, value }] of tx.outputs.entries()) {
    if (!scripts.has(hexOf(script))) continue
    events.push({
      type: "receive",
      amount: amount(value),
      ...place,
      txid,
      vout,
      output_spk: scriptPubKey(script, node.network.addresses)
    })
  }
}

const noteBlock = Effect.fnUntraced(function*(facts: BlockFacts, watch: Watch): Effect.fn.Return<void, CallError> {
  const { transactions } = yield* readBlock(watch.node, facts)
  const undo = yield* undoOf(facts, watch.node)
  for (const [i, tx] of transactions.entries()) {
    noteTransaction(tx, isCoinbase(tx) ? [] : undo?.spent[i - 1] ?? [], facts, watch)
  }
  yield* Effect.yieldNow
})

const TXID_SIZE = 32

const noteMempool = Effect.fnUntraced(function*(watch: Watch): Effect.fn.Return<void, CallError> {
  const { chain } = watch.node
  const { txids } = yield* chain.call("mempoolIds", undefined)
  for (let at = 0; at < txids.length; at += TXID_SIZE) {
    const id = txids.slice(at, at + TXID_SIZE)
    const found = yield* chain.call("mempoolTransaction", { id, kind: "txid" })
    // The transaction may have left the mempool since.
    if (found === undefined) continue
    const tx = Result.getOrThrow(decodeTransaction(found.bytes))
    const { outputs } = yield* chain.call("outputs", { outpoints: tx.inputs.map(({ prevout }) => prevout) })
    noteTransaction(tx, outputs, undefined, watch)
  }
})

const NOT_ON_CHAIN = invalidParameter("Block is not in main chain")

/** Returns the requested blocks of the active chain without duplicates, in ascending order of height. */
const wantedBlocks = Effect.fnUntraced(function*(
  hashes: ReadonlyArray<JsonRead>,
  node: MethodNode
): Effect.fn.Return<ReadonlyArray<BlockFacts>, CallError> {
  const blocks = new Map<number, BlockFacts>()
  for (const each of hashes) {
    const facts = yield* knownBlock(node, yield* Effect.fromResult(hashOf(each, "blockhash")))
    if (facts.confirmations <= 0) return yield* Effect.fail(NOT_ON_CHAIN)
    blocks.set(facts.height, facts)
  }
  return [...blocks.values()].toSorted((a, b) => a.height - b.height)
})

export const getdescriptoractivity = method({
  name: "getdescriptoractivity",
  category: "blockchain",
  privilege: "anyone",
  description: [
    "Answers what some blocks, and the mempool, spend of the outputs that descriptors stand for, and pay to them.",
    "scanblocks finds the blocks to ask for."
  ].join("\n"),
  parameters: {
    blockhashes: array(
      { usage: "[\"blockhash\",...]", description: "Blocks of the chain, in any order" },
      Schema.Array(Schema.String)
    ),
    scanobjects: array(
      { usage: "[scanobjects,...]", description: "Descriptors; ranged ones up to 1000 or their own range" },
      ScanObjects
    ),
    include_mempool: optionalWith(boolean({ description: "Whether transactions of the mempool count" }), true)
  },
  result: Activity,
  examples: [{
    params: [
      ["0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206"],
      ["addr(bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc)"]
    ]
  }],
  call: Effect.fnUntraced(function*({ blockhashes, include_mempool, scanobjects }, node) {
    const blocks = yield* wantedBlocks(blockhashes, node)
    const watch: Watch = { scripts: yield* wantedScripts(scanobjects, node), events: [], node }
    for (const block of blocks) yield* noteBlock(block, watch)
    if (include_mempool) yield* noteMempool(watch)
    return { activity: watch.events }
  })
})
