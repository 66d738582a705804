import { bytesEqual } from "@lockstep/kernel/bytes"
import { type Transaction, type TransactionInput, transactionOf, type TransactionOutput } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { hexOf } from "../hex.ts"
import type { JsonRead } from "../json/json-value.ts"
import { method } from "./definition/method.ts"
import { array, stringOf } from "./definition/parameter.ts"
import { Hex } from "../answers/result-schema.ts"
import { transactionOfHex } from "./raw-transaction/decode-hex.ts"
import { combineRawInput, spendsOf } from "@lockstep/descriptors/raw-transaction/sign-raw-input.ts"
import { emptyProvider } from "@lockstep/descriptors/psbt/sign/signing-provider.ts"
import { previousOutputs } from "./raw-transaction/previous-outputs.ts"
import { invalidParameter, type CallError, callError } from "../queries/call-error.ts"

const versionOf = (value: JsonRead, place: number): Result.Result<Transaction, CallError> =>
  Result.flatMap(stringOf(value), (digits) => {
    const tx = transactionOfHex(digits, { withWitness: true, withoutWitness: false })
    return tx === undefined || tx.inputs.length === 0
      ? Result.fail(callError(
        "Deserialization",
        `TX decode failed for tx ${place}. Make sure the tx has at least one input.`
      ))
      : Result.succeed(tx)
  })

const MISSING = callError("Deserialization", "Missing transactions. At least two transactions required.")

const isSameInput = (a: TransactionInput, b: TransactionInput): boolean =>
  a.prevout.vout === b.prevout.vout && a.sequence === b.sequence && bytesEqual(a.prevout.txid, b.prevout.txid)

const isSameOutput = (a: TransactionOutput, b: TransactionOutput): boolean =>
  a.value === b.value && bytesEqual(a.script, b.script)

const areSame = <A>(as: ReadonlyArray<A>, bs: ReadonlyArray<A>, isSame: (a: A, b: A) => boolean): boolean =>
  as.length === bs.length && as.every((a, i) => isSame(a, bs[i]!))

/** Reports whether two transactions differ only in scripts and witnesses of inputs. */
const areCompatible = (a: Transaction, b: Transaction): boolean =>
  a.version === b.version && a.lockTime === b.lockTime && areSame(a.inputs, b.inputs, isSameInput) &&
  areSame(a.outputs, b.outputs, isSameOutput)

export const combinerawtransaction = method({
  name: "combinerawtransaction",
  category: "rawtransactions",
  privilege: "anyone",
  description: "Makes one transaction of two or more that differ only in their signatures, with all of these.",
  parameters: {
    txs: array(
      { usage: "[\"hexstring\",...]", description: "The transactions in hexadecimal digits" },
      Schema.Array(Schema.String)
    )
  },
  result: Hex,
  examples: [{ params: [["transaction", "the same with other signatures"]] }],
  call: Effect.fnUntraced(function*({ txs }, node) {
    const versions = yield* Effect.forEach(txs, (each, i) => Effect.fromResult(versionOf(each, i)))
    const [first, ...others] = versions
    if (first === undefined || others.length === 0) return yield* Effect.fail(MISSING)
    const foreign = versions.findIndex((each) => !areCompatible(first, each))
    if (foreign >= 0) {
      return yield* Effect.fail(
        invalidParameter(`Transaction number ${foreign + 1} not compatible with first transaction`)
      )
    }
    const spent = yield* previousOutputs(first, [], emptyProvider(), node)
    if (spent.includes(undefined)) {
      return yield* Effect.fail(callError("Verify", "Input not found or already spent"))
    }
    const inputs: Array<TransactionInput> = []
    const spendAt = spendsOf(first, spent, node.crypto)
    for (const i of first.inputs.keys()) {
      inputs.push(combineRawInput(versions, spendAt(i), node.crypto))
      yield* Effect.yieldNow
    }
    return hexOf(
      transactionOf({ version: first.version, inputs, outputs: first.outputs, lockTime: first.lockTime }).bytes
    )
  })
})
