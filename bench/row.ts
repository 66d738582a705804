/** One line of a table. `ratio` holds against what `to` says, within the same runs. */
export interface Row {
  readonly name: string
  readonly provider: string
  readonly value: number
  readonly unit: string
  readonly ratio?: number
  readonly to?: string
}

/**
 * Something that a figure of the table has to reach, at least or at most. Where `ratio` is undefined nothing measured
 * it, for the reason `missing`.
 */
export interface Target {
  readonly name: string
  readonly bound: "at least" | "at most"
  readonly limit: number
  readonly ratio: number | undefined
  readonly missing: string
}

/** Whether a target is met; undefined when it was not measured. */
export const isMet = ({ bound, limit, ratio }: Target): boolean | undefined =>
  ratio === undefined ? undefined : bound === "at least" ? ratio >= limit : ratio <= limit
