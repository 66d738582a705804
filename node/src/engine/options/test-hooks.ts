import { type CrashAt, crashAtOf } from "./crash-point.ts"

/** Changes that a test of a whole node makes to the engine, as plain data for its thread. */
export interface TestHooks {
  readonly crashAt?: CrashAt
  /** The largest size of block files: those of a real node are never full on regtest. */
  readonly blockFileBytes?: number
  /** Number of changed coins from which a new tip is reported before they are committed. */
  readonly earlyChanges?: number
}

/**
 * Reads the hooks that a test sets by `LOCKSTEP_TEST_CRASH_AT=<name>:<n>`, `LOCKSTEP_TEST_BLOCK_FILE_BYTES` and
 * `LOCKSTEP_TEST_EARLY_CHANGES`.
 */
export const testHooksOf = (environment: Readonly<Record<string, string | undefined>>): TestHooks => {
  const crashAt = crashAtOf(environment["LOCKSTEP_TEST_CRASH_AT"] ?? "")
  const bytes = environment["LOCKSTEP_TEST_BLOCK_FILE_BYTES"]
  const changes = environment["LOCKSTEP_TEST_EARLY_CHANGES"]
  return {
    ...crashAt === undefined ? {} : { crashAt },
    ...bytes === undefined ? {} : { blockFileBytes: Number(bytes) },
    ...changes === undefined ? {} : { earlyChanges: Number(changes) }
  }
}
