interface Tagged {
  readonly _tag: string
}

/** Values without facts, one for each of the tags. */
export type Plain<Tag extends string> = Tag extends string ? { readonly _tag: Tag } : never

/** Values with facts, one for each of the tags. */
export type Kinds<Facts> = {
  readonly [T in keyof Facts & string]: { readonly _tag: T } & Readonly<Facts[T]>
}[keyof Facts & string]

/** Words for each kind of value, made of its facts. */
export type Words<Value extends Tagged> = {
  readonly [T in Value["_tag"]]: string | ((facts: Extract<Value, { readonly _tag: T }>) => string)
}

/** Returns a function that puts values into the words of a table. */
export const worder = <Value extends Tagged>(words: Words<Value>) => (value: Value): string => {
  // The table has each kind's own words under its name; a type cannot say so for one that is only known later.
  const found = words[value._tag as Value["_tag"]] as string | ((facts: Value) => string)
  return typeof found === "string" ? found : found(value)
}
