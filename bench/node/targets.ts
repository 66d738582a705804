import type { Row, Target } from "../row.ts"
import { targetsOf, type Wanted } from "../wanted.ts"

/** The rows of the table by name. */
export const ROW = {
  RAW: "raw signatures of the chain on 2 threads, keys as bytes",
  RAW_KEPT: "raw signatures of the chain on 2 threads, keys kept",
  CHECKED: "import, all signatures on 2 workers",
  CHECKED_KEPT: "import, all signatures, against kept keys",
  CHECKED_PROCESSOR: "import, all signatures: processors",
  CHECKED_MEMORY: "import, all signatures: most memory",
  ASSUMED: "import, scripts assumed valid",
  ASSUMED_PROCESSOR: "import, scripts assumed valid: processors",
  ASSUMED_MEMORY: "import, scripts assumed valid: most memory",
  HEADERS: "headers accepted one by one",
  RESTART: "restart on 100,000 headers",
  GENERATE: "1,000 blocks generated"
} as const

/** The row of a stop with a full cache on one of the stores. */
export const stopRow = (store: "heed3" | "leveldb"): string => `stop with a full cache, ${store}`

const WANTED: ReadonlyArray<Wanted> = [
  {
    row: ROW.CHECKED,
    name: "import with all signatures, rate against raw signatures",
    figure: "ratio",
    bound: "at least",
    limit: 0.7
  },
  {
    row: ROW.ASSUMED,
    name: "import without signatures, inputs per second",
    figure: "value",
    bound: "at least",
    limit: 50_000
  },
  {
    row: ROW.ASSUMED_PROCESSOR,
    name: "import without signatures, processor time against raw signatures",
    figure: "ratio",
    bound: "at most",
    limit: 1 / 3
  },
  { row: ROW.CHECKED_MEMORY, name: "memory of the import, MiB", figure: "value", bound: "at most", limit: 600 },
  { row: ROW.RESTART, name: "restart on 100,000 headers, seconds", figure: "value", bound: "at most", limit: 2 },
  { row: ROW.GENERATE, name: "1,000 blocks generated, seconds", figure: "value", bound: "at most", limit: 10 },
  {
    row: stopRow("heed3"),
    name: "stop with a full cache on LMDB, seconds",
    figure: "value",
    bound: "at most",
    limit: 10
  },
  {
    row: stopRow("leveldb"),
    name: "stop with a full cache on LevelDB, seconds",
    figure: "value",
    bound: "at most",
    limit: 10
  }
]

/** What the figures of the table say about the node's targets. */
export const nodeTargets = (rows: ReadonlyArray<Row>): ReadonlyArray<Target> => targetsOf(WANTED, rows)
