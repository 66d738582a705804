import * as Schema from "effect/Schema"

/** An event type: its subject, when it is emitted, and its payload. */
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

/** A hash in display order: 64 hex digits, byte-reversed. */
export const HashText = Schema.String
/** A non-negative integer. */
export const Count = Schema.Number
/** Service flags as in `getpeerinfo`: 16 hex digits. */
export const ServiceFlags = Schema.String
/** Milliseconds. */
export const Milliseconds = Schema.Number
/** Satoshis. */
export const Satoshis = Schema.Number
export const Text = Schema.String
export const Flag = Schema.Boolean
/** A fraction from 0 to 1, or a percentage from 0 to 100; the field's name says which. */
export const Fraction = Schema.Number
export const Texts = Schema.Array(Schema.String)
