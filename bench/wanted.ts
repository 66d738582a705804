import type { Row, Target } from "./row.ts"

/** A figure of a row, and what it has to reach. */
export interface Wanted {
  readonly row: string
  readonly name: string
  readonly figure: "ratio" | "value"
  readonly bound: Target["bound"]
  readonly limit: number
}

/** What the figures of a table say about what is wanted; `missing` where a row is not there. */
export const targetsOf = (
  wanted: ReadonlyArray<Wanted>,
  rows: ReadonlyArray<Row>,
  missing = "it was not measured"
): ReadonlyArray<Target> =>
  wanted.map(({ figure, row, ...rest }) => ({
    ...rest,
    ratio: rows.find(({ name }) => name === row)?.[figure],
    missing
  }))
