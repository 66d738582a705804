import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { displayHash, hexOf } from "../../hex.ts"
import { JsonMembers, type JsonRead } from "../json/json-value.ts"
import { method } from "../method/method.ts"
import { array, booleanOf, hashOf, integerOf, members, optionalWith, withNamed } from "../method/parameter.ts"
import { described, Hex, optionalDescribed } from "../method/result-schema.ts"
import { holdKinds } from "../raw-transaction/hold-kinds.ts"
import { memberOf, membersOf } from "../raw-transaction/make-transaction.ts"
import { invalidParameter, type RpcError, rpcError, RpcErrorCode } from "../rpc-error.ts"

const Outpoint = Schema.Struct({ txid: Hex, vout: Schema.Int })

const Options = Schema.Struct({
  mempool_only: optionalDescribed(
    Schema.Boolean,
    "False: an output that no transaction of the mempool spends is an error"
  ),
  return_spending_tx: optionalDescribed(Schema.Boolean, "Whether to answer the transactions as well")
})

const Spent = Schema.Struct({
  txid: described(Hex, "The transaction of the output"),
  vout: described(Schema.Number, "The place of the output"),
  spendingtxid: optionalDescribed(Hex, "The transaction of the mempool that spends it"),
  spendingtx: optionalDescribed(Hex, "That transaction's bytes (only with return_spending_tx)")
})

/** There is no index of the transactions that spend outputs of the chain. */
const NOT_SPENT = rpcError(
  RpcErrorCode.misc,
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

const flagOf = (options: JsonMembers, name: string, standard: boolean): Result.Result<boolean, RpcError> => {
  const value = options.get(name)
  return value === undefined ? Result.succeed(standard) : booleanOf(value)
}

const flagsOf = (options: JsonMembers) =>
  Result.gen(function*() {
    yield* holdKinds(options, { mempool_only: "bool", return_spending_tx: "bool" }, {
      areOptional: true,
      isStrict: true
    })
    return {
      isMempoolOnly: yield* flagOf(options, "mempool_only", true),
      showsBytes: yield* flagOf(options, "return_spending_tx", false)
    }
  })

export const gettxspendingprevout = method({
  name: "gettxspendingprevout",
  category: "blockchain",
  privilege: "anyone",
  description: [
    "Finds the transactions of the mempool that spend outputs.",
    "What blocks spend is not found: there is no index of it."
  ].join("\n"),
  parameters: {
    outputs: array({ description: "The outputs" }, Schema.Array(Outpoint)),
    options: optionalWith(
      withNamed(
        members({
          description:
            "mempool_only=false: an output that no transaction of the mempool spends is an error; return_spending_tx=true: the transactions' bytes are answered as well"
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
  call: Effect.fnUntraced(function*({ options, outputs }, { chain }) {
    if (outputs.length === 0) {
      return yield* Effect.fail(invalidParameter("Invalid parameter, outputs are missing"))
    }
    const { isMempoolOnly, showsBytes } = yield* Effect.fromResult(flagsOf(options))
    const outpoints = yield* Effect.forEach(outputs, (value) => Effect.fromResult(outpointOf(value)))
    const spenders = yield* chain.call("mempoolSpenders", { outpoints })
    if (!isMempoolOnly && spenders.includes(undefined)) return yield* Effect.fail(NOT_SPENT)
    return outpoints.map(({ txid, vout }, i) => {
      const spender = spenders[i]
      return {
        txid: displayHash(txid),
        vout,
        spendingtxid: spender && displayHash(spender.txid),
        spendingtx: showsBytes && spender ? hexOf(spender.bytes) : undefined
      }
    })
  })
})
