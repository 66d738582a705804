import * as Schema from "effect/Schema"

/** One type of event: what it is about, when it is emitted, and what it carries. */
export interface EventTypeDefinition<Fields extends Schema.Struct.Fields> {
  readonly category: string
  readonly when: string
  readonly payload: Schema.Struct<Fields>
}

/** The event types of one category. */
export const inCategory =
  (category: string) =>
  <const Fields extends Schema.Struct.Fields>(when: string, fields: Fields): EventTypeDefinition<Fields> => ({
    category,
    when,
    payload: Schema.Struct(fields)
  })

/** A hash as people write it: 64 hex digits, byte-reversed. */
export const HashText = Schema.String
/** A whole number that is not negative. */
export const Count = Schema.Number
/** Service flags as `getpeerinfo` has them: 16 hex digits. */
export const ServiceFlags = Schema.String
/** Milliseconds. */
export const Milliseconds = Schema.Number
/** Satoshis. */
export const Satoshis = Schema.Number
export const Text = Schema.String
export const Flag = Schema.Boolean
/** From 0 to 1 for fractions, from 0 to 100 for percentages; the field's name says which. */
export const Fraction = Schema.Number
export const Texts = Schema.Array(Schema.String)
