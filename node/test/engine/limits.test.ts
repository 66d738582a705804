import { assert, describe, it } from "vitest"
import * as limits from "../../src/engine/limits.ts"
import * as mempoolLimits from "../../src/engine/mempool/mempool-limits.ts"

const MEBIBYTE = 1_048_576

describe("the engine's limits", () => {
  // They bound memory and time: whoever changes one says so here as well.
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
      MOST_AHEAD: 288
    })
  })

  it("of the mempool are those of the reference node", () => {
    assert.deepStrictEqual({ ...mempoolLimits }, {
      MAX_MEMPOOL_BYTES: 300_000_000,
      EVICTED_SHARE: 0.05,
      MIN_RELAY_RATE: 100,
      RATE_STEP: 100,
      MAX_STANDARD_WEIGHT: 400_000,
      MIN_STANDARD_SIZE: 65,
      MAX_STANDARD_VERSION: 3,
      MAX_STANDARD_SIGOPS_COST: 16_000,
      BYTES_PER_SIGOP: 20,
      DISCONNECTED_TRANSACTION_BYTES: 20_000_000
    })
  })
})
