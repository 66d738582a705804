import type { Row, Target } from "../row.ts"
import { targetsOf, type Wanted } from "../wanted.ts"

/** Rows that have a target, by name. */
export const ROW = {
  ACCEPTANCE: "acceptance of P2WPKH spends",
  ACCEPTANCE_PROCESSOR: "acceptance of P2WPKH spends: processors",
  TEST: "test-accept without signatures: processors",
  TEMPLATE: "template",
  EVICTION: "eviction",
  BLOCK: "block of 4,000, beyond its validation",
  KNOWN_SCRIPTS: "its scripts, judged again",
  HEAP: "heap by the transaction",
  LIVE: "reorganization of full blocks: /health/live, p99"
} as const

const WANTED: ReadonlyArray<Wanted> = [
  {
    row: ROW.ACCEPTANCE,
    name: "acceptance against raw signatures on as many threads",
    figure: "ratio",
    bound: "at least",
    limit: 0.6
  },
  { row: ROW.TEST, name: "test-accept without signatures, µs", figure: "value", bound: "at most", limit: 150 },
  { row: ROW.TEMPLATE, name: "template with its validity, ms", figure: "value", bound: "at most", limit: 60 },
  { row: ROW.EVICTION, name: "eviction, µs", figure: "value", bound: "at most", limit: 100 },
  {
    row: ROW.BLOCK,
    name: "block of 4,000 beyond its validation, ms",
    figure: "value",
    bound: "at most",
    limit: 150
  },
  {
    row: ROW.KNOWN_SCRIPTS,
    name: "scripts of the block judged again against judged before",
    figure: "ratio",
    bound: "at least",
    limit: 5
  },
  { row: ROW.HEAP, name: "heap by the transaction, B", figure: "value", bound: "at most", limit: 400 },
  {
    row: ROW.LIVE,
    name: "/health/live during a reorganization, p99, ms",
    figure: "value",
    bound: "at most",
    limit: 50
  }
]

export const mempoolTargets = (rows: ReadonlyArray<Row>): ReadonlyArray<Target> => targetsOf(WANTED, rows)
