import * as Schema from "effect/Schema"
import { type JsonBytes, JsonNumber, type JsonValue } from "../json/json-value.ts"

const jsonNumber = (description: string) =>
  Schema.declare((value: unknown): value is JsonNumber => value instanceof JsonNumber, {
    description,
    jsonType: "number"
  })

/** An amount of money in bitcoins, with eight decimals. */
export const Amount = jsonNumber("An amount in BTC")

/** Hexadecimal digits. */
export const Hex = Schema.String.annotate({ jsonType: "hex" })

/** Very many hexadecimal digits, kept as bytes; the answer holds digits as for {@link Hex}. */
export const LongHex = Hex as Schema.Top as Schema.Codec<JsonBytes, string>

/** Seconds since 1970. */
export const Time = Schema.Number.annotate({ jsonType: "time" })

/** Any value at all. */
export const Anything: Schema.Codec<JsonValue, unknown> = Schema.declare((value: unknown): value is JsonValue =>
  value !== undefined
)

/** A field with words about it. */
export const described = <S extends Schema.Top>(schema: S, description: string): S["Rebuild"] =>
  schema.annotateKey({ description })

/** A field that may be missing, with words about it. */
export const optionalDescribed = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.optional(schema).annotateKey({ description })

/** A result that is given in one case of several; `when` says in which. */
export const variant = <S extends Schema.Top>(when: string, schema: S): S["Rebuild"] => schema.annotate({ when })
