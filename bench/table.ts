import { isMet, type Row, type Target } from "./row.ts"

const HEADER = ["measured", "provider", "figure", "unit", "ratio", "to"]

const cells = ({ name, provider, ratio, to, unit, value }: Row): ReadonlyArray<string> => [
  name,
  provider,
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en-US") : value.toFixed(2),
  unit,
  ratio === undefined ? "" : ratio.toFixed(2),
  to ?? ""
]

/** Columns of numbers stand to the right. */
const NUMBERS = new Set([2, 4])

/** The rows as lines of one table. */
export const tableOf = (rows: ReadonlyArray<Row>): string => {
  const lines = [HEADER, ...rows.map(cells)]
  const widths = HEADER.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  const pad = (cell: string, column: number): string =>
    NUMBERS.has(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)
  return lines.map((line) => line.map(pad).join("  ").trimEnd()).join("\n")
}

/** What became of a target, in one line. */
export const verdictOf = (target: Target): string => {
  const met = isMet(target)
  const wanted = `${target.name}: ${target.bound} ${target.limit}`
  return met === undefined
    ? `not measured  ${wanted} (${target.missing})`
    : `${(met ? "met" : "MISSED").padEnd(12)}  ${wanted}, is ${target.ratio!.toFixed(2)}`
}
