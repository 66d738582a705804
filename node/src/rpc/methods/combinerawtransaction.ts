import { transactionOf } from "@lockstep/kernel/model/transaction-encode.ts"
import type { Transaction, TransactionInput } from "@lockstep/kernel/model/transaction.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { hexOf } from "../decode/hex.ts"
import type { JsonRead } from "../json/json-value.ts"
import { method } from "../method/method.ts"
import { array, stringOf } from "../method/parameter.ts"
import { Hex } from "../method/result-schema.ts"
import { transactionOfHex } from "../raw-transaction/decode-hex.ts"
import { keyRing } from "../raw-transaction/key-ring.ts"
import { previousOutputs } from "../raw-transaction/previous-outputs.ts"
import { satisfiedInput } from "../raw-transaction/sign-transaction.ts"
import { type RpcError, rpcError, RpcErrorCode } from "../rpc-error.ts"

const SIGHASH_ALL = 1

const versionOf = (value: JsonRead, place: number): Result.Result<Transaction, RpcError> =>
  Result.flatMap(stringOf(value), (digits) => {
    const tx = transactionOfHex(digits, { withWitness: true, withoutWitness: false })
    return tx === undefined || tx.inputs.length === 0
      ? Result.fail(rpcError(
        RpcErrorCode.deserialization,
        `TX decode failed for tx ${place}. Make sure the tx has at least one input.`
      ))
      : Result.succeed(tx)
  })

export const combinerawtransaction = method({
  name: "combinerawtransaction",
  category: "rawtransactions",
  privilege: "anyone",
  description: "Makes one transaction of several that differ in what is signed of them, with all their signatures.",
  parameters: {
    txs: array({ description: "The transactions in hexadecimal digits" }, Schema.Array(Schema.String))
  },
  result: Hex,
  examples: [{ params: [["transaction", "the same with other signatures"]] }],
  call: Effect.fnUntraced(function*({ txs }, node) {
    const versions = yield* Effect.forEach(txs, (each, i) => Effect.fromResult(versionOf(each, i)))
    const [first] = versions
    if (first === undefined) return yield* Effect.fail(rpcError(RpcErrorCode.deserialization, "Missing transactions"))
    const spent = yield* previousOutputs(first, [], keyRing([], node.crypto), node)
    if (spent.includes(undefined)) {
      return yield* Effect.fail(rpcError(RpcErrorCode.verify, "Input not found or already spent"))
    }
    const inputs: Array<TransactionInput> = []
    for (const i of first.inputs.keys()) {
      inputs.push(satisfiedInput(versions, i, spent, keyRing([], node.crypto), SIGHASH_ALL, node.crypto))
      yield* Effect.yieldNow
    }
    return hexOf(transactionOf({ version: first.version, inputs, outputs: first.outputs, lockTime: first.lockTime }).bytes)
  })
})
