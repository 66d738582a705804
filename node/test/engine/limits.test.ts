import { assert, describe, it } from "vitest"
import * as limits from "../../src/engine/options/limits.ts"

const MEBIBYTE = 1_048_576

describe("the engine's limits", () => {
  // They bound memory and time: a change of one is said here as well.
  it("are these", () => {
    assert.deepStrictEqual({ ...limits }, {
      MAX_TIP_AGE: 86_400,
      RECENT_BLOCKS_BYTES: 10 * MEBIBYTE,
      BLOCKS_UNDER_WAY: 16,
      BYTES_UNDER_WAY: 8 * MEBIBYTE,
      COMMIT_INTERVAL: 300_000,
      IDLE_COMMIT: 5_000,
      CALLS_PER_COMMIT: 64,
      LONGEST_TURN: 500,
      STATE_INTERVAL: 100,
      BACKLOG_BYTES: 6 * MEBIBYTE,
      LONGEST_INTAKE: 20,
      MOST_AHEAD: 288,
      MOST_CHANGED_COINS: 10_000_000,
      LEAST_EARLY_CHANGES: 1_000
    })
  })
})
