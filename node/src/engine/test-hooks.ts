import { type CrashAt, crashAtOf } from "./crash-point.ts"

/** What a test of a whole node changes about the engine: plain data that crosses into its thread. */
export interface TestHooks {
  readonly crashAt?: CrashAt
  /** The largest size of block files: those of a real node are never full on regtest. */
  readonly blockFileBytes?: number
}

/** The hooks that a test sets by `LOCKSTEP_TEST_CRASH_AT=<name>:<n>` and `LOCKSTEP_TEST_BLOCK_FILE_BYTES`. */
export const testHooksOf = (environment: Readonly<Record<string, string | undefined>>): TestHooks => {
  const crashAt = crashAtOf(environment["LOCKSTEP_TEST_CRASH_AT"] ?? "")
  const bytes = environment["LOCKSTEP_TEST_BLOCK_FILE_BYTES"]
  return {
    ...crashAt === undefined ? {} : { crashAt },
    ...bytes === undefined ? {} : { blockFileBytes: Number(bytes) }
  }
}
