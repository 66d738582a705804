import type { CoreLine } from "./core-line.ts"
import { info } from "./core-line.ts"

/** Log lines of a verification of the last blocks (Core: `CVerifyDB::VerifyDB`), at a start and by `verifychain`. */
export const VERIFICATION_LINES = {
  begins: (blocks: unknown, level: unknown): CoreLine => info(`Verifying last ${blocks} blocks at level ${level}`),
  noData: (height: unknown): CoreLine =>
    info(
      `Block verification stopping at height ${height} (no data). ` +
        "This could be due to pruning or use of an assumeutxo snapshot."
    ),
  noMemory: (): CoreLine => ({
    level: "warning",
    text: "Skipped verification of level >=3 (insufficient database cache size). Consider increasing -dbcache."
  }),
  sound: (blocks: unknown, transactions: unknown): CoreLine =>
    info(`Verification: No coin database inconsistencies in last ${blocks} blocks (${transactions} transactions)`)
} as const
