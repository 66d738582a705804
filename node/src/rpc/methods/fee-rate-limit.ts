import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { JsonNumber, type JsonRead } from "../json/json-value.ts"
import { anything, optionalWith } from "../method/parameter.ts"
import { satoshisOf } from "../raw-transaction/amount.ts"
import { invalidParameter, type RpcError } from "../rpc-error.ts"

export const AmountText = Schema.Union([Schema.Number, Schema.String])

const COIN = 100_000_000n

/** The parameter that bounds what a transaction may pay. */
export const maxfeerate = optionalWith(
  anything({ description: "The most it may pay, in BTC for 1,000 virtual bytes; 0: any" }, AmountText),
  new JsonNumber("0.10"),
  "0.10"
)

/** The bound in satoshis for 1,000 virtual bytes, as the engine takes it. */
export const feeRateLimit = (value: JsonRead): Result.Result<{ readonly mostRate?: number }, RpcError> =>
  Result.flatMap(satoshisOf(value), (rate) => {
    if (rate >= COIN) {
      return Result.fail(invalidParameter("Fee rates larger than or equal to 1BTC/kvB are not accepted"))
    }
    return Result.succeed(rate === 0n ? {} : { mostRate: Number(rate) })
  })
