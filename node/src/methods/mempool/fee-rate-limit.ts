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

/** The parameter that bounds what a transaction may pay. */
export const maxfeerate = optionalWith(
  anything({ description: "The most it may pay, in BTC for 1,000 virtual bytes; 0: any" }, AmountText),
  new JsonNumber("0.10"),
  "0.10"
)

/** The parameter that bounds what a transaction may make unspendable. */
export const maxburnamount = optionalWith(
  anything({ description: "The most, in BTC, that an unspendable output may have" }, AmountText),
  new JsonNumber("0.00"),
  "0.00"
)

/** The feerate that this bound is; none: there is no bound. */
export const feeRateLimit = (value: JsonRead): Result.Result<FeeRate | undefined, CallError> =>
  Result.flatMap(satoshisOf(value), (fee) => {
    if (fee >= COIN) {
      return Result.fail(invalidParameter("Fee rates larger than or equal to 1BTC/kvB are not accepted"))
    }
    return Result.succeed(fee === 0n ? undefined : { fee, size: KILOBYTE })
  })
