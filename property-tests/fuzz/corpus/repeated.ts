/** A text given whole, or in parts of which some are repeated. */
export type Repeated = string | ReadonlyArray<string | { readonly repeat: string; readonly times: number }>

/** The text that the parts stand for, joined with `separator`. */
export const expanded = (text: Repeated, separator: string): string =>
  typeof text === "string"
    ? text
    : text
      .map((part) => (typeof part === "string" ? part : Array.from({ length: part.times }, () =>
        part.repeat).join(separator))
      )
      .join(separator)
