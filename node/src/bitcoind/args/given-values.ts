import type { SettingValue } from "./setting-value.ts"

/** Values of an option from one source. A negation discards all values before it. */
export interface GivenValues {
  readonly values: ReadonlyArray<SettingValue>
  /** True if the last value is a negation. */
  readonly endsNegated: boolean
  /** True if any value is a negation. */
  readonly hasNegation: boolean
}

export const givenValues = (all: ReadonlyArray<SettingValue>): GivenValues => {
  const last = all.lastIndexOf(false)
  return { values: all.slice(last + 1), endsNegated: last >= 0 && last === all.length - 1, hasNegation: last >= 0 }
}
