import type { Row, Target } from "../row.ts"
import { targetsOf, type Wanted } from "../wanted.ts"

/** The rows of the table by name. */
export const ROW = {
  INSIDE: "2,100 small blocks of a peer, in the initial download",
  OUTSIDE: "2,100 small blocks of a peer, out of it"
} as const

const WANTED: ReadonlyArray<Wanted> = [
  {
    row: ROW.OUTSIDE,
    name: "small blocks out of the initial download, seconds against in it",
    figure: "ratio",
    bound: "at most",
    limit: 1.25
  }
]

/** What the figures of the table say about the targets of catching up. */
export const catchUpTargets = (rows: ReadonlyArray<Row>): ReadonlyArray<Target> => targetsOf(WANTED, rows)
