import * as Schema from "effect/Schema"
import { JsonNumber } from "../../json/json-value.ts"

/** The services of an address: 64 bits, which no double holds. */
export const Services = Schema.declare((value: unknown): value is JsonNumber => value instanceof JsonNumber, {
  jsonType: "number"
})
