import * as Schema from "effect/Schema"

/** The shape of a key's values, and their written form. */
export interface KeyShape<S extends Schema.Top> {
  readonly schema: S
  /** Completes "expected …". */
  readonly expects: string
  /** Returns the candidate value for a text from the environment or the command line; the schema checks it. */
  readonly fromText: (text: string) => unknown
  /** Words of a choice. */
  readonly words?: ReadonlyArray<string>
  /** Other words that operators write, and the words of the choice that they mean. */
  readonly meant?: Readonly<Record<string, string>>
  /** Shape of the values, for a table with free names. */
  readonly named?: KeyShape<Schema.Top>
  /** Shape of the members, for a list. */
  readonly member?: KeyShape<Schema.Top>
}

/** Information about a key for operators. */
export interface KeyText {
  /** Full sentences for the annotated example and the documentation. */
  readonly about: string
  /** The default value; absent if unset or described by `fallbackText`. */
  readonly fallback?: unknown
  /** Description of a default that is not a single value. */
  readonly fallbackText?: string
  /** A value to show if there is no default. */
  readonly example?: unknown
  /** True if the value is never shown. */
  readonly secret?: boolean
}

/** The annotation that a key of the schema carries. */
export interface KeyFacts extends KeyText {
  readonly expects: string
  readonly fromText: (text: string) => unknown
  readonly member: KeyShape<Schema.Top> | undefined
  readonly shape: KeyShape<Schema.Top>
}

const FACTS = "lockstep/key"

const annotated = <S extends Schema.Top>(field: S, shape: KeyShape<Schema.Top>, text: KeyText): S["Rebuild"] => {
  const facts: KeyFacts = { ...text, expects: shape.expects, fromText: shape.fromText, member: shape.member, shape }
  return field.annotateKey({ description: text.about, [FACTS]: facts })
}

/** Makes an optional key. */
export const key = <S extends Schema.Top>(shape: KeyShape<S>, text: KeyText): Schema.optionalKey<S> =>
  annotated(Schema.optionalKey(shape.schema), shape, text)

/** Makes a key that a file must have. */
export const requiredKey = <S extends Schema.Top>(shape: KeyShape<S>, text: KeyText): S["Rebuild"] =>
  annotated(shape.schema, shape, text)

/** Makes a table of keys, which is optional as a whole. */
export const table = <const F extends Schema.Struct.Fields>(
  about: string,
  fields: F
): Schema.optionalKey<Schema.Struct<F>> => Schema.optionalKey(Schema.Struct(fields)).annotateKey({ description: about })

/** Returns the facts of a field, or `undefined` for a table. */
export const keyFactsOf = (field: Schema.Constraint): KeyFacts | undefined =>
  Schema.resolveAnnotationsKey(field)?.[FACTS] as KeyFacts | undefined

export const aboutOf = (field: Schema.Constraint): string => Schema.resolveAnnotationsKey(field)?.description ?? ""
