import { assert, describe, it } from "vitest"
import { transactionOf } from "@lockstep/kernel/model"
import {
  blockBytes,
  capacityWithOneLess,
  capacityWithOneMore,
  memoryUsage,
  transactionUsage
} from "../../../src/engine/txmempool/memory-usage.ts"

const made = (
  scripts: ReadonlyArray<number>,
  outputs: ReadonlyArray<number>,
  witness: ReadonlyArray<number> = []
) =>
  transactionOf({
    version: 2,
    inputs: scripts.map((length, vout) => ({
      prevout: { txid: new Uint8Array(32).fill(1), vout },
      script: new Uint8Array(length),
      sequence: 0,
      witness: witness.map((size) => new Uint8Array(size))
    })),
    outputs: outputs.map((length) => ({ value: 1n, script: new Uint8Array(length) })),
    lockTime: 0
  })

describe("memory as Bitcoin Core counts it", () => {
  it("is rounded up to 16 bytes, with a head; nothing takes none", () => {
    assert.deepStrictEqual([0, 1, 16, 17, 32, 33, 48, 112].map(blockBytes), [0, 32, 32, 48, 48, 64, 64, 128])
  })

  it("of a transaction has its parts, and scripts of more than 36 bytes apart", () => {
    assert.strictEqual(transactionUsage(made([0], [36])), 192 + 128 + 64)
    assert.strictEqual(transactionUsage(made([36, 37], [0, 37])), 192 + 240 + 112 + 64 + 64)
    assert.strictEqual(transactionUsage(made([0], [0], [0, 33])), 192 + 128 + 64 + 64 + 64)
  })

  it("of the mempool is the sum of its parts", () => {
    const none = { transactions: 0, inputs: 0, priorities: 0, capacity: 0, graph: 0, bytes: 0 }
    assert.strictEqual(memoryUsage(none), 0)
    const parts = Object.keys(none).map((name) => memoryUsage({ ...none, [name]: 10 }))
    assert.deepStrictEqual(parts, [2_240, 640, 960, 416, 10, 10])
    const all = Object.fromEntries(Object.keys(none).map((name) => [name, 10])) as typeof none
    assert.strictEqual(memoryUsage(all), parts.reduce((sum, each) => sum + each))
  })

  it("of the list grows twofold when it is full, and shrinks when more than half of it is empty", () => {
    const more = [[0, 0], [1, 0], [1, 1], [2, 2], [3, 2], [4, 4], [10, 9]] as const
    assert.deepStrictEqual(more.map(([capacity, count]) => capacityWithOneMore(capacity, count)), [
      1,
      1,
      2,
      4,
      3,
      8,
      10
    ])
    const less = [[8, 5], [8, 4], [8, 1], [8, 2], [1, 1], [3, 3]] as const
    assert.deepStrictEqual(less.map(([capacity, count]) => capacityWithOneLess(capacity, count)), [8, 3, 8, 1, 1, 3])
  })
})
