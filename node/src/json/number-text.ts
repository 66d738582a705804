import { amountText } from "@lockstep/descriptors/script-text/amount-text.ts"
import { JsonNumber } from "./json-value.ts"

const DIGITS = 16

/** Returns satoshis as BTC, always with eight decimals. */
export const amount = (satoshis: bigint): JsonNumber => new JsonNumber(amountText(satoshis))

/**
 * Returns a double with at most sixteen significant digits and no more than needed, as Bitcoin Core prints it. Below
 * 10⁻⁴ and from 10¹⁶ on it has an exponent of at least two digits. Infinity and NaN become null.
 */
export const doubleText = (value: number): string => {
  if (Number.isSafeInteger(value)) return String(value)
  if (!Number.isFinite(value)) return "null"
  const [mantissa, power] = value.toExponential(DIGITS - 1).split("e") as [string, string]
  const exponent = Number(power)
  if (exponent >= -4 && exponent < DIGITS) return withoutTrailingZeros(value.toFixed(DIGITS - 1 - exponent))
  return `${withoutTrailingZeros(mantissa)}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`
}

const withoutTrailingZeros = (text: string): string => text.includes(".") ? text.replace(/\.?0+$/, "") : text
