import { assert, describe, it } from "vitest"
import { memoryRoomWarning } from "../../src/engine-worker/memory-room.ts"
import { memoryLimit } from "../../src/storage/usable-memory.ts"

const MEBIBYTE = 1_048_576
const NEEDS = { dbcacheBytes: 450 * MEBIBYTE, mempoolBytes: 300 * MEBIBYTE }

describe("a limit of memory", () => {
  it("is what a control group sets below the memory of the machine", () => {
    assert.strictEqual(memoryLimit(600, 1_000), 600)
    assert.strictEqual(memoryLimit(999, 1_000), 999)
    assert.isUndefined(memoryLimit(1_000, 1_000))
    assert.isUndefined(memoryLimit(2 ** 63, 1_000))
    assert.isUndefined(memoryLimit(0, 1_000))
  })

  it("is warned of where it is less than coin cache, mempool and 250 MiB of the node itself", () => {
    assert.deepStrictEqual(memoryRoomWarning(NEEDS, 1_000 * MEBIBYTE), [])
    assert.deepStrictEqual(memoryRoomWarning(NEEDS, undefined), [])
    assert.deepStrictEqual(memoryRoomWarning(NEEDS, 1_000 * MEBIBYTE - 1), [
      "This process may take 999 MiB of memory (a control group limits it) and may come to need 1000 MiB: 450 for the coin " +
      "cache, 300 for the mempool and 250 for the node itself. The system kills a process that takes more. Raise the " +
      "limit, or lower [storage].dbcache_mb and [mempool].max_mempool_mb."
    ])
  })
})
