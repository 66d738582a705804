import type { Row, Target } from "../row.ts"
import { targetsOf, type Wanted } from "../wanted.ts"

/** The rows of the table by name. */
export const ROW = {
  RAW: "raw signatures of the chain on 2 threads, keys as bytes",
  SYNC: "sync from one peer, all signatures",
  V1: "sync over the v1 transport",
  V2: "sync over the v2 transport",
  V2_PROCESSOR: "sync over the v2 transport: processors of both nodes",
  PROCESSOR: "sync: processors",
  SERVING: "sync: processors of the peer that serves",
  MEMORY: "sync: most memory",
  LIVE_P99: "/health/live while syncing: p99",
  RPC_P99: "getblockcount while syncing: p99"
} as const

const WANTED: ReadonlyArray<Wanted> = [
  {
    row: ROW.SYNC,
    name: "sync with all signatures, rate against raw signatures",
    figure: "ratio",
    bound: "at least",
    limit: 0.7
  },
  {
    row: ROW.V2,
    name: "sync over the v2 transport, rate against v1",
    figure: "ratio",
    bound: "at least",
    limit: 0.95
  },
  { row: ROW.LIVE_P99, name: "/health/live while syncing, p99 in ms", figure: "value", bound: "at most", limit: 50 },
  { row: ROW.RPC_P99, name: "getblockcount while syncing, p99 in ms", figure: "value", bound: "at most", limit: 200 }
]

/** What the figures of the table say about the targets of the sync. */
export const syncTargets = (rows: ReadonlyArray<Row>): ReadonlyArray<Target> => targetsOf(WANTED, rows)
