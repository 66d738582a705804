import * as Schema from "effect/Schema"
import { parseHostPort } from "../host-port.ts"
import { parseSubnet } from "../../p2p/connections/subnet.ts"
import type { Shape } from "./key.ts"

const asIs = (text: string): unknown => text

const integerFromText = (text: string): unknown => /^[+-]?\d{1,16}$/.test(text) ? Number(text) : text

const TRUE = new Set(["1", "true", "yes", "on"])
const FALSE = new Set(["0", "false", "no", "off"])

const booleanFromText = (text: string): unknown => {
  const word = text.toLowerCase()
  if (TRUE.has(word)) return true
  return FALSE.has(word) ? false : text
}

const jsonFromText = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export const flag: Shape<Schema.Boolean> = { schema: Schema.Boolean, expects: "true or false", fromText: booleanFromText }

/** A text that is not empty. */
export const text = (expects: string, pattern = /\S/): Shape<Schema.String> => ({
  schema: Schema.String.check(Schema.isPattern(pattern)),
  expects,
  fromText: asIs
})

/** `~name` is somebody else's home directory, which only a shell knows. */
export const path: Shape<Schema.String> = text("a path; ~ is your own home directory", /^(?!~[^/\\])[^\0]*\S[^\0]*$/)

export const integer = (minimum: number, maximum: number = Number.MAX_SAFE_INTEGER): Shape<Schema.Number> => ({
  schema: Schema.Number.check(Schema.isInt(), Schema.isBetween({ minimum, maximum })),
  expects: maximum === Number.MAX_SAFE_INTEGER ? `an integer from ${minimum} up` : `an integer from ${minimum} to ${maximum}`,
  fromText: integerFromText
})

const quotedList = (values: ReadonlyArray<string>): string => {
  const quoted = values.map((value) => `"${value}"`)
  return quoted.length === 1 ? quoted[0]! : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`
}

/** One of some words. */
export const choice = <const L extends ReadonlyArray<string>>(
  values: L,
  fromText: (word: string) => string = (word) => word
): Shape<Schema.Literals<L>> => ({ schema: Schema.Literals(values), expects: quotedList(values), fromText })

/** A list; as one text its members stand between commas. */
export const listOf = <S extends Schema.Top>(member: Shape<S>): Shape<Schema.$Array<S>> => ({
  schema: Schema.Array(member.schema),
  expects: `a list, each member ${member.expects}`,
  fromText: (list) => list.split(",").map((part) => part.trim()).filter((part) => part !== "").map(member.fromText)
})

/** Names that a person chooses, each with a value; as one text written as JSON. */
export const namesTo = <S extends Schema.Top>(member: Shape<S>, what: string): Shape<Schema.$Record<Schema.String, S>> => ({
  schema: Schema.Record(Schema.String, member.schema),
  expects: `a table from ${what} to ${member.expects}`,
  fromText: jsonFromText
})

const isSubnet = Schema.makeFilter((value: string) => parseSubnet(value) !== undefined)

export const subnet: Shape<Schema.String> = {
  schema: Schema.String.check(isSubnet),
  expects: "an address or a subnet, such as \"192.168.1.0/24\"",
  fromText: asIs
}

const isHostPort = Schema.makeFilter((value: string) => parseHostPort(value) !== undefined)

export const hostPort: Shape<Schema.String> = {
  schema: Schema.String.check(isHostPort),
  expects: "host:port, such as \"127.0.0.1:8332\" or \"[::1]:8332\"",
  fromText: asIs
}
