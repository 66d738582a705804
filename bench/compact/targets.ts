import type { Row, Target } from "../row.ts"
import { targetsOf, type Wanted } from "../wanted.ts"

/** The rows of the table by name. */
export const ROW = {
  TIP: "compact block of 4,000 known transactions: announcement to tip",
  SECOND: "to the tip of a second node, which the first one announces it to",
  UNKNOWN: "the same where the mempool has none of them, with the request",
  AT_ONCE: "blocks of known transactions that needed no request",
  POOL: "its transactions that came from the mempool",
  SKIPPED: "its script checks that the block skips, as the mempool verified them"
} as const

const WANTED: ReadonlyArray<Wanted> = [
  {
    row: ROW.TIP,
    name: "from the announcement of a compact block to the tip, p50 in ms",
    figure: "value",
    bound: "at most",
    limit: 25
  },
  {
    row: ROW.AT_ONCE,
    name: "blocks of known transactions that needed no request, in %",
    figure: "value",
    bound: "at least",
    limit: 100
  }
]

/** What the figures of the table say about the target. */
export const compactTargets = (rows: ReadonlyArray<Row>): ReadonlyArray<Target> => targetsOf(WANTED, rows)
