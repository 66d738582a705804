import type { Row, Target } from "../row.ts"
import { TARGET_BLOCK } from "./block-files.ts"
import { blockTitle } from "./blocks.ts"
import { LEGACY_TRANSACTION } from "./legacy-transaction.ts"

/** The provider that targets are set for. */
const FAST = "libsecp256k1"

interface Wanted {
  readonly row: string
  readonly name: string
  readonly bound: Target["bound"]
  readonly limit: number
  readonly missing: string
}

const NO_LIBRARY = `${FAST} was not measured`

const WANTED: ReadonlyArray<Wanted> = [
  { row: "P2WPKH", name: "P2WPKH, rate against raw calls", bound: "at least", limit: 0.8, missing: NO_LIBRARY },
  { row: "P2TR key path", name: "P2TR key path, rate against raw calls", bound: "at least", limit: 0.8, missing: NO_LIBRARY },
  {
    row: blockTitle(TARGET_BLOCK),
    name: `${TARGET_BLOCK} parsed with txids and merkle root, time against hashing it`,
    bound: "at most",
    limit: 2,
    missing: `${NO_LIBRARY}, or no reference vectors: set LOCKSTEP_VECTORS or give --vectors DIR`
  },
  {
    row: LEGACY_TRANSACTION,
    name: "legacy transaction of 1 MB, time against hashing its preimages",
    bound: "at most",
    limit: 2,
    missing: NO_LIBRARY
  }
]

/** What the figures of the table say about the kernel's targets. */
export const targetsOf = (rows: ReadonlyArray<Row>): ReadonlyArray<Target> => {
  const ratioOf = (row: string): number | undefined => rows.find(({ name, provider }) => name === row && provider === FAST)?.ratio
  return WANTED.map(({ row, ...wanted }) => ({ ...wanted, ratio: ratioOf(row) }))
}
