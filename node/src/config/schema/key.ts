import * as Schema from "effect/Schema"

/** A shape that values of a key have, and how people write them. */
export interface KeyShape<S extends Schema.Top> {
  readonly schema: S
  /** Completes "expected …". */
  readonly expects: string
  /** The candidate value that a text from the environment or the command line stands for; the schema judges it. */
  readonly fromText: (text: string) => unknown
  /** Of a choice: the words that it is of. */
  readonly words?: ReadonlyArray<string>
  /** Of a choice: the word that another one, which people write for it, stands for. */
  readonly meant?: Readonly<Record<string, string>>
  /** Of a table from names: what each value is. */
  readonly named?: KeyShape<Schema.Top>
  /** Of a list: what each member is. */
  readonly member?: KeyShape<Schema.Top>
}

/** What a person should know about a key. */
export interface KeyText {
  /** Full sentences for the annotated example and the documentation. */
  readonly about: string
  /** The value without file, environment and option; none: unset, or described by `fallbackText`. */
  readonly fallback?: unknown
  /** In words, where the default is not one value. */
  readonly fallbackText?: string
  /** A value to show where there is no default. */
  readonly example?: unknown
  /** Never shown. */
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

/** A key that may be left out. */
export const key = <S extends Schema.Top>(shape: KeyShape<S>, text: KeyText): Schema.optionalKey<S> =>
  annotated(Schema.optionalKey(shape.schema), shape, text)

/** A key that a file must have. */
export const requiredKey = <S extends Schema.Top>(shape: KeyShape<S>, text: KeyText): S["Rebuild"] =>
  annotated(shape.schema, shape, text)

/** A table of keys, which may be left out as a whole. */
export const table = <const F extends Schema.Struct.Fields>(
  about: string,
  fields: F
): Schema.optionalKey<Schema.Struct<F>> => Schema.optionalKey(Schema.Struct(fields)).annotateKey({ description: about })

/** The facts of a field; none when it is a table. */
export const keyFactsOf = (field: Schema.Constraint): KeyFacts | undefined =>
  Schema.resolveAnnotationsKey(field)?.[FACTS] as KeyFacts | undefined

export const aboutOf = (field: Schema.Constraint): string => Schema.resolveAnnotationsKey(field)?.description ?? ""
