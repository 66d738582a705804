import { decodeTransaction, type OutPoint, transactionId } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { displayHash, hexOf } from "../hex.ts"
import { JsonMembers, type JsonRead } from "../json/json-value.ts"
import { method } from "./definition/method.ts"
import { array, booleanOf, hashOf, integerOf, members, optionalWith, withNamed } from "./definition/parameter.ts"
import { described, Hex, optionalDescribed } from "../answers/result-schema.ts"
import { knownBlock, readBlockBytes } from "../queries/block-lookup.ts"
import { indexState } from "../queries/index-state.ts"
import { holdKinds } from "./raw-transaction/hold-kinds.ts"
import { memberOf, membersOf } from "./raw-transaction/make-transaction.ts"
import type { MethodNode } from "./definition/method-node.ts"
import { invalidParameter, type CallError, callError } from "../queries/call-error.ts"

const Outpoint = Schema.Struct({ txid: Hex, vout: Schema.Int })

const Options = Schema.Struct({
  mempool_only: optionalDescribed(
    Schema.Boolean,
    "Whether the index of spent outputs is left out; by default only where it is off"
  ),
  return_spending_tx: optionalDescribed(Schema.Boolean, "Whether to answer the transactions as well")
})

const Spent = Schema.Struct({
  txid: described(Hex, "The transaction of the output"),
  vout: described(Schema.Number, "The place of the output"),
  spendingtxid: optionalDescribed(Hex, "The transaction that spends it"),
  spendingtx: optionalDescribed(Hex, "That transaction's bytes (only with return_spending_tx)"),
  blockhash: optionalDescribed(Hex, "The block of that transaction (only where it is confirmed)")
})

const NO_INDEX = callError(
  "Misc",
  "Mempool lacks a relevant spend, and txospenderindex is unavailable."
)

const outpointOf = (value: JsonRead) =>
  Result.gen(function*() {
    const given = yield* membersOf(value)
    yield* holdKinds(given, { txid: "string", vout: "number" }, { areOptional: false, isStrict: true })
    const txid = yield* hashOf(memberOf(given, "txid"), "txid")
    const vout = yield* integerOf(memberOf(given, "vout"))
    if (vout < 0) return yield* Result.fail(invalidParameter("Invalid parameter, vout cannot be negative"))
    return { txid, vout }
  })

const flagOf = (options: JsonMembers, name: string): Result.Result<boolean | undefined, CallError> => {
  const value = options.get(name)
  return value === undefined ? Result.succeed(undefined) : booleanOf(value)
}

const flagsOf = (options: JsonMembers) =>
  Result.gen(function*() {
    yield* holdKinds(options, { mempool_only: "bool", return_spending_tx: "bool" }, {
      areOptional: true,
      isStrict: true
    })
    return {
      isMempoolOnly: yield* flagOf(options, "mempool_only"),
      showsBytes: (yield* flagOf(options, "return_spending_tx")) ?? false
    }
  })

/** An output, and the transaction that spends it. */
type Answer = (typeof Spent)["Type"]

interface Spender {
  readonly txid: Uint8Array
  readonly bytes: Uint8Array
  /** `undefined` if the spender is in the mempool. */
  readonly block?: Uint8Array
}

const answerOf = ({ txid, vout }: OutPoint, spender: Spender | undefined, showsBytes: boolean): Answer => ({
  txid: displayHash(txid),
  vout,
  spendingtxid: spender && displayHash(spender.txid),
  spendingtx: showsBytes && spender ? hexOf(spender.bytes) : undefined,
  blockhash: spender?.block && displayHash(spender.block)
})

/** Reports whether a query failed because the index is off or behind the chain. */
const isUnavailable = ({ _tag }: CallError): boolean => _tag === "IndexNotEnabled" || _tag === "IndexNotSynced"

/** Finds the transactions of the chain that spend these outputs. */
const confirmedSpenders = Effect.fnUntraced(function*(
  node: MethodNode,
  outpoints: ReadonlyArray<OutPoint>
): Effect.fn.Return<ReadonlyArray<Spender | undefined>, CallError> {
  const places = yield* Effect.mapError(
    node.chain.call("outputSpenders", { outpoints }),
    (error) => isUnavailable(error) ? NO_INDEX : error
  )
  return yield* Effect.forEach(places, (place) =>
    place === undefined ? Effect.undefined : Effect.gen(function*() {
      const { block, offset, size } = place
      const bytes = (yield* readBlockBytes(node, yield* knownBlock(node, block))).subarray(offset, offset + size)
      const tx = yield* Effect.fromResult(
        Result.mapError(decodeTransaction(bytes), () => callError("Misc", "Transaction decode failed"))
      )
      return { txid: transactionId(tx, node.crypto), bytes, block }
    }))
})

export const gettxspendingprevout = method({
  name: "gettxspendingprevout",
  category: "blockchain",
  privilege: "anyone",
  description: [
    "Finds the transactions that spend outputs: in the mempool, then in the index of spent outputs where it is on.",
    "Outputs that the mempool spends come first."
  ].join("\n"),
  parameters: {
    outputs: array({ description: "The outputs" }, Schema.Array(Outpoint)),
    options: optionalWith(
      withNamed(
        members({
          description: [
            "mempool_only=false: the index (txospenderindex) is needed for an output that the mempool does not spend",
            "return_spending_tx=true: the transactions' bytes are answered as well"
          ].join("; ")
        }, Options),
        ["mempool_only", "return_spending_tx"]
      ),
      new JsonMembers([], []),
      "{}"
    )
  },
  result: Schema.Array(Spent),
  examples: [{
    params: [[{ txid: "a08e6907dbbd3d809776dbfc5d82e371b764ed838b5655e72f463568df1aadf0", vout: 1 }]]
  }],
  call: Effect.fnUntraced(function*({ options, outputs }, node) {
    if (outputs.length === 0) {
      return yield* Effect.fail(invalidParameter("Invalid parameter, outputs are missing"))
    }
    const { isMempoolOnly = (yield* indexState(node, "txospenderindex")) === undefined, showsBytes } = yield* Effect
      .fromResult(flagsOf(options))
    const outpoints = yield* Effect.forEach(outputs, (value) => Effect.fromResult(outpointOf(value)))
    const inMempool = yield* node.chain.call("mempoolSpenders", { outpoints })
    const isAnswered = (place: number): boolean => isMempoolOnly || inMempool[place] !== undefined
    const answers = outpoints.flatMap((outpoint, i) =>
      isAnswered(i) ? [answerOf(outpoint, inMempool[i], showsBytes)] : []
    )
    const others = outpoints.filter((_, i) => !isAnswered(i))
    if (others.length === 0) return answers
    const spenders = yield* confirmedSpenders(node, others)
    return [...answers, ...others.map((outpoint, i) => answerOf(outpoint, spenders[i], showsBytes))]
  })
})
