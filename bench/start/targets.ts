import type { Row, Target } from "../row.ts"
import { targetsOf, type Wanted } from "../wanted.ts"

/** The rows of the table by name. */
export const ROW = {
  LISTENS: "start: RPC listens",
  READY: "start: the chain is ready",
  PROCESSORS: "start: processors",
  MEMORY: "start: most memory"
} as const

const WANTED: ReadonlyArray<Wanted> = [
  { row: ROW.LISTENS, name: "start until RPC listens, in s", figure: "value", bound: "at most", limit: 0.45 },
  { row: ROW.READY, name: "start until the chain is ready, in s", figure: "value", bound: "at most", limit: 0.7 }
]

/** What the figures of the table say about the targets of a start. */
export const startTargets = (rows: ReadonlyArray<Row>): ReadonlyArray<Target> => targetsOf(WANTED, rows)
