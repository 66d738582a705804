import type { FeeRate } from "@lockstep/kernel/relay"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { JsonNumber, type JsonRead } from "../../json/json-value.ts"
import { anything, optionalWith } from "../definition/parameter.ts"
import { satoshisOf } from "../raw-transaction/amount.ts"
import { invalidParameter, type CallError } from "../../queries/call-error.ts"
import { COIN } from "../../units.ts"

const AmountText = Schema.Union([Schema.Number, Schema.String])

const KILOBYTE = 1_000

/** Parameter for the maximum fee rate of a transaction. */
export const maxfeerate = optionalWith(
  anything({ description: "The most it may pay, in BTC for 1,000 virtual bytes; 0: any" }, AmountText),
  new JsonNumber("0.10"),
  "0.10"
)

/** Parameter for the maximum amount that a transaction may make unspendable. */
export const maxburnamount = optionalWith(
  anything({ description: "The most, in BTC, that an unspendable output may have" }, AmountText),
  new JsonNumber("0.00"),
  "0.00"
)

/** Reads a fee rate limit, or `undefined` if the value sets no limit. */
export const feeRateLimit = (value: JsonRead): Result.Result<FeeRate | undefined, CallError> =>
  Result.flatMap(satoshisOf(value), (fee) => {
    if (fee >= COIN) {
      return Result.fail(invalidParameter("Fee rates larger than or equal to 1BTC/kvB are not accepted"))
    }
    return Result.succeed(fee === 0n ? undefined : { fee, size: KILOBYTE })
  })
