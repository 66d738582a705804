const ESCAPES = /[\u007F\u2028\u2029]/g

/** Matches a lone surrogate, which no TOML file can contain. */
const LONE = /\p{Surrogate}/gu

const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0").toUpperCase()}`

/** Formats a basic TOML string: the escapes of JSON, and those of characters that only JSON allows unescaped. */
const tomlString = (text: string): string =>
  JSON.stringify(text.replaceAll(LONE, "\uFFFD")).replaceAll(ESCAPES, escaped)

const tomlKey = (name: string): string => /^[\w-]+$/.test(name) ? name : tomlString(name)

/** Formats a number. TOML integers have 64 bits, and its readers here 53: beyond that a number is written as a float. */
const tomlNumber = (value: number): string => {
  const text = String(value)
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return text.includes("e") ? text : `${text}.0`
  if (Number.isFinite(value)) return text
  if (Number.isNaN(value)) return "nan"
  return value > 0 ? "inf" : "-inf"
}

/** Formats a value for one line after `key =`. */
export const tomlValue = (value: unknown): string => {
  if (typeof value === "string") return tomlString(value)
  if (typeof value === "number") return tomlNumber(value)
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(", ")}]`
  if (typeof value !== "object" || value === null) return String(value)
  const members = Object.entries(value).map(([name, member]) => `${tomlKey(name)} = ${tomlValue(member)}`)
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`
}
