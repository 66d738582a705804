import type { Row, Target } from "../row.ts"
import { TARGET_BLOCK } from "./block-files.ts"
import { blockTitle } from "./blocks.ts"
import { HEADERS } from "./headers.ts"
import { CONNECT_MEMORY } from "./heap-probe.ts"
import { LEGACY_TRANSACTION } from "./legacy-transaction.ts"
import { SPEED_UP } from "./script-workers.ts"

/** The provider that targets are set for. */
const FAST = "libsecp256k1"

interface Wanted {
  readonly row: string
  /** Which figure of the row counts; its ratio if nothing is said. */
  readonly figure?: "value"
  readonly name: string
  readonly bound: Target["bound"]
  readonly limit: number
  readonly missing: string
}

const NO_LIBRARY = `${FAST} was not measured`
const NO_VECTORS = `${NO_LIBRARY}, or no reference vectors: set LOCKSTEP_VECTORS or give --vectors DIR`

const WANTED: ReadonlyArray<Wanted> = [
  { row: "P2WPKH", name: "P2WPKH, rate against raw calls", bound: "at least", limit: 0.8, missing: NO_LIBRARY },
  {
    row: "P2TR key path",
    name: "P2TR key path, rate against raw calls",
    bound: "at least",
    limit: 0.8,
    missing: NO_LIBRARY
  },
  {
    row: blockTitle(TARGET_BLOCK),
    name: `${TARGET_BLOCK} parsed with txids and merkle root, time against hashing it`,
    bound: "at most",
    limit: 2,
    missing: NO_VECTORS
  },
  {
    row: LEGACY_TRANSACTION,
    name: "legacy transaction of 1 MB, time against hashing its preimages",
    bound: "at most",
    limit: 2,
    missing: NO_LIBRARY
  },
  {
    row: HEADERS,
    figure: "value",
    name: "headers accepted per second, hashing left out",
    bound: "at least",
    limit: 100_000,
    missing: NO_LIBRARY
  },
  {
    row: SPEED_UP,
    name: "scripts of a block, 2 workers against 1",
    bound: "at least",
    limit: 1.7,
    missing: NO_VECTORS
  },
  {
    row: CONNECT_MEMORY,
    name: "memory allocated to connect a large block, against its size",
    bound: "at most",
    limit: 8,
    missing: NO_VECTORS
  }
]

/** What the figures of the table say about the kernel's targets. */
export const targetsOf = (rows: ReadonlyArray<Row>): ReadonlyArray<Target> =>
  WANTED.map(({ figure, row, ...wanted }) => {
    const found = rows.find(({ name, provider }) => name === row && provider === FAST)
    return { ...wanted, ratio: figure === "value" ? found?.value : found?.ratio }
  })
