import * as Result from "effect/Result"
import { JsonNumber, type JsonRead } from "../json/json-value.ts"
import { type RpcError, wrongKind } from "../rpc-error.ts"

const AMOUNT = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/
const DECIMALS = 8
const MAX_MONEY = 2_100_000_000_000_000n
/** No exponent beyond this one can give an amount; it keeps the arithmetic small. */
const MAX_EXPONENT = 40

/** A decimal number in units of 10⁻⁸, exactly; none: it is no such number. */
const fixedPoint = (text: string): bigint | undefined => {
  const [, sign, whole, fraction = "", power = "0"] = AMOUNT.exec(text) ?? []
  if (whole === undefined) return undefined
  const digits = `${whole}${fraction}`
  const mantissa = BigInt(digits)
  if (mantissa === 0n) return 0n
  const zeros = digits.length - digits.replace(/0+$/, "").length
  const exponent = Number(power) - fraction.length + zeros + DECIMALS
  if (exponent < 0 || exponent > MAX_EXPONENT) return undefined
  const units = mantissa / 10n ** BigInt(zeros) * 10n ** BigInt(exponent)
  return sign === "-" ? -units : units
}

/** The amount in satoshis that a number or a text of bitcoins stands for. */
export const satoshisOf = (value: JsonRead): Result.Result<bigint, RpcError> => {
  const text = value instanceof JsonNumber ? value.text : value
  if (typeof text !== "string") return Result.fail(wrongKind("Amount is not a number or string"))
  const satoshis = fixedPoint(text)
  if (satoshis === undefined) return Result.fail(wrongKind("Invalid amount"))
  return satoshis < 0n || satoshis > MAX_MONEY
    ? Result.fail(wrongKind("Amount out of range"))
    : Result.succeed(satoshis)
}
