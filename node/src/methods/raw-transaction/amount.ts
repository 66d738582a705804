import * as Result from "effect/Result"
import { JsonNumber, type JsonRead } from "../../json/json-value.ts"
import { type CallError, wrongKind } from "../../queries/call-error.ts"

const AMOUNT = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/
const DECIMALS = 8
const MAX_MONEY = 2_100_000_000_000_000n

/** Range of Bitcoin Core's decimal parser, with and without trailing zeros. */
const MOST_DIGITS = 18
const MOST_UNITS = 10n ** 18n - 1n

/**
 * Returns a decimal number in units of 10⁻⁸, exactly, or `undefined` if it is invalid. The exponent counts for zero as
 * well: Bitcoin Core reads `0e9` and rejects `0e10`.
 */
const fixedPoint = (text: string): bigint | undefined => {
  const [, sign, whole, fraction = "", power = "0"] = AMOUNT.exec(text) ?? []
  if (whole === undefined) return undefined
  const digits = `${whole === "0" ? "" : whole}${fraction}`
  const significant = digits.replace(/0+$/, "")
  const exponent = Number(power) - fraction.length + digits.length - significant.length + DECIMALS
  const mantissa = significant.replace(/^0+/, "")
  if (exponent < 0 || exponent >= MOST_DIGITS || mantissa.length > MOST_DIGITS) return undefined
  const units = BigInt(mantissa) * 10n ** BigInt(exponent)
  if (units > MOST_UNITS) return undefined
  return sign === "-" ? -units : units
}

/** Reads an amount in BTC, as a number or string, and returns satoshis. */
export const satoshisOf = (value: JsonRead): Result.Result<bigint, CallError> => {
  const text = value instanceof JsonNumber ? value.text : value
  if (typeof text !== "string") return Result.fail(wrongKind("Amount is not a number or string"))
  const satoshis = fixedPoint(text)
  if (satoshis === undefined) return Result.fail(wrongKind("Invalid amount"))
  return satoshis < 0n || satoshis > MAX_MONEY
    ? Result.fail(wrongKind("Amount out of range"))
    : Result.succeed(satoshis)
}
