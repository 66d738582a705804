import * as Schema from "effect/Schema"
import { type JsonBytes, JsonNumber, type JsonValue } from "../json/json-value.ts"

const jsonNumber = (description: string) =>
  Schema.declare((value: unknown): value is JsonNumber => value instanceof JsonNumber, {
    description,
    jsonType: "number"
  })

/** An amount in BTC, with eight decimals. */
export const Amount = jsonNumber("An amount in BTC")

/** Hexadecimal digits. */
export const Hex = Schema.String.annotate({ jsonType: "hex" })

/** A long hexadecimal string kept as bytes. The answer holds digits, as for {@link Hex}. */
export const LongHex = Hex as Schema.Top as Schema.Codec<JsonBytes, string>

/** Seconds since 1970. */
export const Time = Schema.Number.annotate({ jsonType: "time" })

/** Any JSON value. */
export const Anything: Schema.Codec<JsonValue, unknown> = Schema.declare((value: unknown): value is JsonValue =>
  value !== undefined
)

/** Adds a description to a field. */
export const described = <S extends Schema.Top>(schema: S, description: string): S["Rebuild"] =>
  schema.annotateKey({ description })

/** Makes a field optional and adds a description to it. */
export const optionalDescribed = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.optional(schema).annotateKey({ description })

/** Marks a schema as the result of one of several cases; `when` names the case. */
export const variant = <S extends Schema.Top>(when: string, schema: S): S["Rebuild"] => schema.annotate({ when })
