import type { Row, Target } from "../row.ts"
import { targetsOf, type Wanted } from "../wanted.ts"

/** The rows of the table by name. */
export const ROW = {
  REQUESTS: "small requests of one module, answered at once",
  WAITED: "small requests of one module, each answered a turn later",
  BLOCK: "a block of 4 MB, from the request to its last byte",
  FAN_OUT: "the five events of a block for 20 modules, time of the main thread",
  DURING_SYNC: "main thread's time for 20 modules during the bench sync"
} as const

const WANTED: ReadonlyArray<Wanted> = [
  {
    row: ROW.REQUESTS,
    name: "small requests of a module each second",
    figure: "value",
    bound: "at least",
    limit: 30_000
  },
  { row: ROW.BLOCK, name: "a block of 4 MB to a module, p50 in ms", figure: "value", bound: "at most", limit: 10 },
  // A block of `bench sync` takes 16 ms, of which this is the twentieth part.
  { row: ROW.FAN_OUT, name: "events of a block for 20 modules in ms", figure: "value", bound: "at most", limit: 0.8 },
  {
    row: ROW.DURING_SYNC,
    name: "share of the main thread for 20 modules during the bench sync, %",
    figure: "value",
    bound: "at most",
    limit: 5
  }
]

/** What the figures of the table say about the targets. */
export const moduleTargets = (rows: ReadonlyArray<Row>): ReadonlyArray<Target> =>
  targetsOf(WANTED, rows, "it needs the bench chain: --chain DIR")
