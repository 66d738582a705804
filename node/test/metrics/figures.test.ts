import { assert, describe, it } from "@effect/vitest"
import type { NodeEvent } from "../../src/events/node-event.ts"
import { blockFigures } from "../../src/metrics/block-figures.ts"
import { callFigures } from "../../src/metrics/call-figures.ts"
import { CALL_BOUNDS, CONNECT_BOUNDS, histogramOf, observe, PAUSE_BOUNDS } from "../../src/figures/histogram.ts"

describe("a histogram", () => {
  it("counts a duration at the first bound that is not below it; one above all bounds only in the sum", () => {
    const durations = histogramOf([0.1, 1, 10])
    for (const seconds of [0, 0.1, 0.100_1, 1, 10, 10.5]) observe(durations, seconds)
    assert.deepStrictEqual(durations.counts, [2, 2, 1])
    assert.strictEqual(durations.count, 6)
    assert.approximately(durations.sum, 21.700_1, 1e-9)
  })

  it("has the bounds that dashboards and alerts are written for", () => {
    assert.deepStrictEqual(PAUSE_BOUNDS, [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1])
    assert.deepStrictEqual(CALL_BOUNDS, [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30])
    assert.deepStrictEqual(CONNECT_BOUNDS, [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30])
  })
})

describe("figures of calls", () => {
  it("move with each call, refusal and request, each for itself", () => {
    const clock = { now: 1_000_000 }
    const calls = callFigures(() => clock.now)
    calls.called("getblock", 0.25, true)
    calls.called("getblock", 0.5, false)
    calls.called("stop", 1, true)
    calls.entered()
    calls.entered()
    calls.left()
    calls.refused("rate")
    calls.refused("rate")
    calls.refused("credentials")
    const values = calls.samples().map((
      { labels, name, value }
    ) => [name, ...Object.values(labels), typeof value === "number" ? value : value.count])
    assert.deepStrictEqual(values, [
      ["lockstep_rpc_requests_total", "getblock", "ok", 1],
      ["lockstep_rpc_requests_total", "getblock", "error", 1],
      ["lockstep_rpc_request_seconds", "getblock", 2],
      ["lockstep_rpc_requests_total", "stop", "ok", 1],
      ["lockstep_rpc_requests_total", "stop", "error", 0],
      ["lockstep_rpc_request_seconds", "stop", 1],
      ["lockstep_rpc_requests_in_flight", 1],
      ["lockstep_rpc_refused_total", "rate", 2],
      ["lockstep_rpc_refused_total", "credentials", 1]
    ])
    assert.strictEqual(calls.inFlight(), 1)
    const { failed, methods, seconds, succeeded } = calls.totals()
    assert.deepStrictEqual([succeeded, failed, seconds], [2, 1, 1.75])
    assert.deepStrictEqual(methods.get("getblock"), { succeeded: 1, failed: 1, seconds: 0.75 })
  })

  it("remember overloads for a minute, and no more than a thousand of them", () => {
    const clock = { now: 1_000_000 }
    const calls = callFigures(() => clock.now)
    for (let i = 0; i < 1_500; i++) calls.refused("overload")
    assert.strictEqual(calls.overloads(), 1_000)
    clock.now += 30_000
    calls.refused("overload")
    clock.now += 29_999
    assert.strictEqual(calls.overloads(), 1_000)
    clock.now += 1
    assert.strictEqual(calls.overloads(), 1, "the newest is kept whatever was there before")
    clock.now += 30_000
    assert.strictEqual(calls.overloads(), 0)
  })
})

describe("figures of blocks", () => {
  it("move with each block that was validated, and count refused ones apart", () => {
    const blocks = blockFigures()
    const validated = (valid: boolean, duration: number): NodeEvent =>
      ({ type: "BlockValidationCompleted", payload: { valid, duration_ms: duration } }) as unknown as NodeEvent
    blocks.record(validated(true, 20))
    blocks.record(validated(true, 3_000))
    blocks.record(validated(false, 9_000))
    blocks.record({ type: "NewBlock", payload: {} } as unknown as NodeEvent)
    assert.strictEqual(blocks.durations.count, 2)
    assert.approximately(blocks.durations.sum, 3.02, 1e-9)
    assert.deepStrictEqual(
      blocks.samples().map(({ name, value }) => [name, typeof value === "number" ? value : value.count]),
      [
        ["lockstep_block_connect_seconds", 2],
        ["lockstep_blocks_rejected_total", 1]
      ]
    )
  })
})
