import { assert, describe, it, vi } from "@effect/vitest"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import * as Effect from "effect/Effect"
import type { ChainEngine } from "../../../src/engine/state/chain-engine.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { networkWork } from "../../../src/engine/queries/network-work.ts"

/** What is answered of the last blocks of a chain whose headers have these times, and two hashes of work each. */
const workOf = (times: ReadonlyArray<number>, blocks: number) => {
  let tip: HeaderIndexNode | undefined
  for (const [height, time] of times.entries()) {
    tip = { height, header: { time }, chainWork: BigInt(2 * (height + 1)), parent: tip } as unknown as HeaderIndexNode
  }
  const engine = { parameters: REGTEST.parameters, tree: { tip } } as unknown as ChainEngine
  return networkWork(engine, { blocks, height: -1 })
}

describe("the work of the last blocks", () => {
  it.effect("took the time from the earliest to the latest of them and the block before, in whatever order they stand", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* workOf([100, 300, 200, 250], 2), { work: 4n, seconds: 100 })
      assert.deepStrictEqual(yield* workOf([100, 300, 200, 250], 1), { work: 2n, seconds: 50 })
      assert.deepStrictEqual(yield* workOf([100, 300, 200, 250], 3), { work: 6n, seconds: 200 })
      assert.deepStrictEqual(yield* workOf([100, 300, 200, 250], 9), { work: 6n, seconds: 200 })
    }))

  it.effect("since the difficulty could change is that of the blocks of this period, and one more", () =>
    Effect.gen(function*() {
      const work = (tip: number) =>
        Effect.map(workOf(Array.from({ length: tip + 1 }, (_, i) => i), -1), (found) => Number(found.work / 2n))
      assert.deepStrictEqual(yield* Effect.all([143, 144, 150, 287, 288].map(work)), [143, 1, 7, 144, 1])
    }))

  it.effect("is refused for a number of blocks that is none", () =>
    Effect.gen(function*() {
      for (const blocks of [0, -2, -100]) {
        assert.deepStrictEqual(yield* Effect.flip(workOf([1, 2, 3], blocks)), { _tag: "InvalidBlockCount", blocks })
      }
    }))

  it.live("is added up in steps of 4096 blocks, between which others have their turn", () =>
    Effect.acquireUseRelease(
      Effect.sync(() => vi.spyOn(performance, "now")),
      (clock) =>
        Effect.gen(function*() {
          let now = 0
          // Each look at the clock takes longer than a step may.
          clock.mockImplementation(() => now += 1_000)
          const times = Array.from({ length: 8_200 }, (_, i) => i)
          const turns = Effect.fnUntraced(function*(blocks: number) {
            now = 0
            assert.strictEqual((yield* workOf(times, blocks)).seconds, blocks)
            return now / 1_000
          })
          assert.deepStrictEqual(yield* Effect.forEach([4_095, 4_096, 8_191, 8_192], turns), [1, 3, 3, 5])
        }),
      (clock) => Effect.sync(() => clock.mockRestore())
    ))
})
