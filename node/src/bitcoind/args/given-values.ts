import type { SettingValue } from "./setting-value.ts"

/** The values of an option in one place, as they count: a negation takes back all before it. */
export interface GivenValues {
  readonly values: ReadonlyArray<SettingValue>
  /** The last one is a negation. */
  readonly endsNegated: boolean
  /** There is a negation. */
  readonly hasNegation: boolean
}

export const givenValues = (all: ReadonlyArray<SettingValue>): GivenValues => {
  const last = all.lastIndexOf(false)
  return { values: all.slice(last + 1), endsNegated: last >= 0 && last === all.length - 1, hasNegation: last >= 0 }
}
