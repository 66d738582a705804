import { compareBytes } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { CoinScan } from "../engine/api/coin-calls.ts"
import { displayHash, hexOf } from "../hex.ts"
import type { JsonRead } from "../json/json-value.ts"
import { amount } from "../json/number-text.ts"
import { method } from "./definition/method.ts"
import { text } from "./definition/parameter.ts"
import { Amount, Hex, variant, described } from "../answers/result-schema.ts"
import { invalidParameter, type CallError, callError } from "../queries/call-error.ts"
import type { MethodNode } from "./definition/method-node.ts"
import { scanObjects, wantedScripts } from "./scan/scan-objects.ts"

const Unspent = Schema.Struct({
  txid: described(Hex, "The transaction"),
  vout: described(Schema.Number, "The place of the output in it"),
  scriptPubKey: described(Hex, "The script"),
  desc: described(Schema.String, "A descriptor of this script alone"),
  amount: described(Amount, "The amount in BTC"),
  coinbase: described(Schema.Boolean, "Whether a coinbase made it"),
  height: described(Schema.Number, "The height of its block"),
  blockhash: described(Hex, "Its block"),
  confirmations: described(Schema.Number, "Blocks from its block to the tip")
})

const Scanned = Schema.Struct({
  success: described(Schema.Boolean, "Whether the scan came to its end"),
  txouts: described(Schema.Number, "Unspent outputs that were read"),
  height: described(Schema.Number, "The height the answer holds at"),
  bestblock: described(Hex, "The block the answer holds at"),
  unspents: described(Schema.Array(Unspent), "What was found"),
  total_amount: described(Amount, "All it holds")
})

const unspentOf = (coin: CoinScan["found"][number], descriptor: string, tip: number): typeof Unspent.Type => ({
  txid: displayHash(coin.txid),
  vout: coin.vout,
  scriptPubKey: hexOf(coin.script),
  desc: descriptor,
  amount: amount(coin.value),
  coinbase: coin.isCoinbase,
  height: coin.height,
  blockhash: displayHash(coin.block),
  confirmations: tip - coin.height + 1
})

const start = Effect.fnUntraced(function*(
  objects: ReadonlyArray<JsonRead> | undefined,
  node: MethodNode
): Effect.fn.Return<typeof Scanned.Type, CallError> {
  if ((yield* node.chain.call("scanProgress", undefined)) !== undefined) {
    return yield* Effect.fail(invalidParameter("Scan already in progress, use action \"abort\" or \"status\""))
  }
  if (objects === undefined) {
    return yield* Effect.fail(callError("Misc", "scanobjects argument is required for the start action"))
  }
  const scripts = yield* wantedScripts(objects, node)
  const wanted = Array.from(scripts.values(), ({ script }) => script)
  const { block, coins, found, height, isComplete } = yield* node.chain.call("scanCoins", { scripts: wanted })
  const sorted = found.toSorted((a, b) => compareBytes(a.txid, b.txid) || a.vout - b.vout)
  return {
    success: isComplete,
    txouts: coins,
    height,
    bestblock: displayHash(block),
    unspents: sorted.map((coin) => unspentOf(coin, scripts.get(hexOf(coin.script))!.descriptor, height)),
    total_amount: amount(found.reduce((sum, { value }) => sum + value, 0n))
  }
})

export const scantxoutset = method({
  name: "scantxoutset",
  category: "blockchain",
  privilege: "anyone",
  description: [
    "Looks through all unspent outputs for those that descriptors stand for, which takes a while. One scan at a time:",
    "start begins one and waits for its end, status shows how far it is, abort ends it early."
  ].join("\n"),
  parameters: {
    action: text({ description: "start, status or abort" }),
    scanobjects: scanObjects
  },
  result: Schema.Union([
    variant("action=start", Scanned),
    variant("action=abort: whether there was something to end", Schema.Boolean),
    variant(
      "action=status and a scan is under way",
      Schema.Struct({ progress: described(Schema.Number, "Percent that is done") })
    ),
    variant("action=status and none is", Schema.Null)
  ]),
  examples: [{ params: ["start", ["addr(bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc)"]] }, { params: ["status"] }],
  call: Effect.fnUntraced(function*({ action, scanobjects }, node) {
    if (action === "start") return yield* start(scanobjects, node)
    if (action === "abort") return yield* node.chain.call("abortScan", undefined)
    if (action !== "status") return yield* Effect.fail(invalidParameter(`Invalid action '${action}'`))
    const progress = yield* node.chain.call("scanProgress", undefined)
    return progress === undefined ? null : { progress }
  })
})
