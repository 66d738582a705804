/**
 * A value of one option from one source: a text, or the value that a negation sets. `settings.json` may hold any JSON.
 */
export type SettingValue = string | boolean | number | null | ReadonlyArray<unknown> | Readonly<Record<string, unknown>>

const MOST = 2n ** 63n - 1n
const LEAST = -(2n ** 63n)

const clamped = (value: bigint): bigint => value > MOST ? MOST : value < LEAST ? LEAST : value

/** Returns the number that a text begins with, as C's functions read it, or 0 if it begins with none. */
export const leadingInteger = (text: string): bigint => {
  const [, sign = "", digits = ""] = /^[ \t\n\v\f\r]*([+-]?)(\d*)/.exec(text) ?? []
  if (digits === "") return 0n
  return clamped(sign === "-" ? -BigInt(digits) : BigInt(digits))
}

/** Returns the value of a boolean option: true for an empty text or a nonzero number, false for any other text. */
export const settingBoolean = (text: string): boolean => text === "" || leadingInteger(text) !== 0n

export const settingText = (value: SettingValue): string => {
  if (typeof value === "string") return value
  if (typeof value === "boolean") return value ? "1" : "0"
  return typeof value === "number" ? String(value) : JSON.stringify(value)
}

export const settingInteger = (value: SettingValue): bigint =>
  typeof value === "boolean" ? (value ? 1n : 0n) : leadingInteger(settingText(value))

export const flagOf = (value: SettingValue): boolean =>
  typeof value === "boolean" ? value : settingBoolean(settingText(value))
