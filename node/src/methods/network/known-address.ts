import * as Schema from "effect/Schema"
import { JsonNumber } from "../../json/json-value.ts"

/** Service bits of an address: 64 bits, which exceed a double. */
export const Services = Schema.declare((value: unknown): value is JsonNumber => value instanceof JsonNumber, {
  jsonType: "number"
})
