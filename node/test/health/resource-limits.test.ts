import { assert, describe, it } from "vitest"
import type { HealthFacts } from "../../src/health/judge.ts"
import { processorUse } from "../../src/health/processor-use.ts"
import { resourceWatch, type Use, usesOf } from "../../src/health/resource-limits.ts"
import { thread, WELL } from "./healthy-facts.ts"

const FACTS = { ...WELL, disk: { free: 500, total: 1_000 }, minimumFreeBytes: 100 }

const warningsOf = (facts: Partial<HealthFacts>, processors?: Use) =>
  resourceWatch()(usesOf({ ...FACTS, ...facts }, processors))

describe("resources that are close to their limits", () => {
  it("are none while everything is well", () => {
    assert.deepStrictEqual(warningsOf({}, { used: 940, limit: 1_000 }), [])
  })

  it("are warned of with how much is used and how much there is", () => {
    const engine = {
      ...FACTS.engine,
      figures: { thread: { ...thread, heapUsed: 91 }, coins: { hits: 0, misses: 0, bytes: 0, changes: 0 } }
    } as const
    assert.deepStrictEqual(warningsOf({ engine: engine as HealthFacts["engine"] }), [
      { resource_type: "memory", usage_percent: 91, current_usage: 91, limit: 100, threshold_percent: 90 }
    ])
    assert.deepInclude(warningsOf({ main: { ...thread, heapUsed: 95 } })[0], {
      resource_type: "memory",
      current_usage: 95
    })
    // The space that is kept free is not there to be used.
    assert.deepStrictEqual(warningsOf({ disk: { free: 190, total: 1_000 } }), [
      { resource_type: "disk", usage_percent: 90, current_usage: 810, limit: 900, threshold_percent: 90 }
    ])
    assert.deepStrictEqual(warningsOf({ disk: { free: 191, total: 1_000 } }), [])
    assert.deepInclude(warningsOf({ minimumFreeBytes: 2_000 })[0], {
      resource_type: "disk",
      usage_percent: 100,
      limit: 0
    })
    assert.deepInclude(warningsOf({ network: { isActive: true, peers: 113, maximum: 125, unreachable: [] } })[0], {
      resource_type: "network",
      limit: 125
    })
    assert.deepInclude(warningsOf({}, { used: 1_900, limit: 2_000 })[0], {
      resource_type: "cpu",
      usage_percent: 95,
      threshold_percent: 95
    })
  })

  it("are warned of once, and again when they were well below the threshold in between", () => {
    const watch = resourceWatch()
    const at = (used: number): number => watch(new Map([["network", { used, limit: 100 }]])).length
    assert.deepStrictEqual([90, 100, 89, 91, 85, 95, 84, 95].map(at), [1, 0, 0, 0, 0, 0, 0, 1])
  })

  it("processors count by what was used of them over a minute", () => {
    let [at, used] = [0, 0]
    const use = processorUse(() => ({ at, used }), 2)
    const look = (milliseconds: number): Use | undefined => {
      at += 10_000
      used += milliseconds
      return use()
    }
    for (let i = 0; i < 6; i++) assert.isUndefined(look(0))
    assert.deepStrictEqual(look(12_000), { used: 200, limit: 2_000 })
    assert.deepStrictEqual(look(20_000), { used: 32_000 / 60, limit: 2_000 })
  })
})
