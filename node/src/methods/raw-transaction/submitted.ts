import type { Transaction } from "@lockstep/kernel/model"
import { isUnspendable } from "@lockstep/kernel/utxo"
import * as Result from "effect/Result"
import type { JsonRead } from "../../json/json-value.ts"
import { stringOf } from "../definition/parameter.ts"
import { type CallError, callError } from "../../queries/call-error.ts"
import { type Forms, transactionOfHex } from "./decode-hex.ts"
import { hasValidOperations } from "./valid-operations.ts"

/** Serializations of submitted transactions. They have inputs, so the segwit marker is unambiguous. */
export const SUBMITTED: Forms = { withWitness: true, withoutWitness: false }

const BURNS = callError("Verify", "Unspendable output exceeds maximum configured by user (maxburnamount)")

/** Fails if an unspendable output of a transaction has more satoshis than the limit. */
export const holdBurnLimit = ({ outputs }: Transaction, limit: bigint): Result.Result<void, CallError> =>
  outputs.some(({ script, value }) => value > limit && (isUnspendable(script) || !hasValidOperations(script)))
    ? Result.fail(BURNS)
    : Result.succeed(undefined)

/** Reads a transaction of a list. */
export const listedTransaction = (value: JsonRead): Result.Result<Transaction, CallError> =>
  Result.flatMap(stringOf(value), (digits) => {
    const tx = transactionOfHex(digits, SUBMITTED)
    return tx === undefined
      ? Result.fail(
        callError("Deserialization", `TX decode failed: ${digits} Make sure the tx has at least one input.`)
      )
      : Result.succeed(tx)
  })
