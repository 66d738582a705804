import type { Transaction } from "@lockstep/kernel/model"
import { isUnspendable } from "@lockstep/kernel/utxo"
import * as Result from "effect/Result"
import type { JsonRead } from "../../json/json-value.ts"
import { stringOf } from "../definition/parameter.ts"
import { type CallError, callError } from "../../queries/call-error.ts"
import { type Forms, transactionOfHex } from "./decode-hex.ts"
import { hasValidOperations } from "./valid-operations.ts"

/** What is to be sent has inputs, so the marker for witnesses cannot be mistaken for there being none. */
export const SUBMITTED: Forms = { withWitness: true, withoutWitness: false }

const BURNS = callError("Verify", "Unspendable output exceeds maximum configured by user (maxburnamount)")

/** Holds a transaction to the most satoshis that one of its unspendable outputs may have. */
export const holdBurnLimit = ({ outputs }: Transaction, limit: bigint): Result.Result<void, CallError> =>
  outputs.some(({ script, value }) => value > limit && (isUnspendable(script) || !hasValidOperations(script)))
    ? Result.fail(BURNS)
    : Result.succeed(undefined)

/** A transaction of a list of them. */
export const listedTransaction = (value: JsonRead): Result.Result<Transaction, CallError> =>
  Result.flatMap(stringOf(value), (digits) => {
    const tx = transactionOfHex(digits, SUBMITTED)
    return tx === undefined
      ? Result.fail(
        callError("Deserialization", `TX decode failed: ${digits} Make sure the tx has at least one input.`)
      )
      : Result.succeed(tx)
  })
