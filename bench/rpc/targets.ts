import type { Row, Target } from "../row.ts"
import { targetsOf, type Wanted } from "../wanted.ts"

/** The rows of the table by name. */
export const ROW = {
  BARE: "bare node:http, the same answer",
  COUNT: "getblockcount, 16 connections",
  COUNT_PROCESSOR: "getblockcount, 16 connections: processors",
  COUNT_P99: "getblockcount, 64 connections: p99",
  BARE_BLOCK: "bare node:http, reading and hex of a block",
  BLOCK: "getblock, verbosity 0",
  BLOCK_DETAILS: "getblock, verbosity 2",
  BLOCK_TRANSACTIONS: "getblock, verbosity 2: transactions",
  BLOCK_PROCESSOR: "getblock, verbosity 0: processors",
  BARE_P99: "bare node:http beside the import: p99",
  LIVE_P99: "/health/live while importing: p99",
  IMPORT_P99: "getblockcount while importing: p99",
  IMPORT_BLOCKS: "import meanwhile"
} as const

const WANTED: ReadonlyArray<Wanted> = [
  {
    row: ROW.COUNT,
    name: "getblockcount over keep-alive, rate against bare node:http",
    figure: "ratio",
    bound: "at least",
    limit: 0.6
  },
  {
    row: ROW.COUNT_P99,
    name: "getblockcount on 64 connections, p99 in ms",
    figure: "value",
    bound: "at most",
    limit: 20
  },
  {
    row: ROW.BLOCK,
    name: "getblock verbosity 0, rate against reading and hex",
    figure: "ratio",
    bound: "at least",
    limit: 0.4
  },
  { row: ROW.LIVE_P99, name: "/health/live while importing, p99 in ms", figure: "value", bound: "at most", limit: 50 },
  {
    row: ROW.IMPORT_P99,
    name: "getblockcount while importing, p99 in ms",
    figure: "value",
    bound: "at most",
    limit: 200
  }
]

/** What the figures of the table say about the targets of the RPC. */
export const rpcTargets = (rows: ReadonlyArray<Row>, missing: string): ReadonlyArray<Target> =>
  targetsOf(WANTED, rows, missing)
