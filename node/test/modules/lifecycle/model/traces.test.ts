import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { modelledSteps } from "./lifecycle-model.ts"
import { replayedSteps } from "./replayed-steps.ts"
import type { Trace, TraceStep } from "./trace.ts"

const TRACES = JSON.parse(readFileSync(new URL("traces.json", import.meta.url), "utf8")) as ReadonlyArray<Trace>

const differing = (stepsOf: typeof replayedSteps): ReadonlyArray<readonly [Trace, ReadonlyArray<TraceStep>]> =>
  TRACES.flatMap((trace) => {
    const steps = stepsOf(trace.steps.map(({ input }) => input), trace.restarts)
    return JSON.stringify(steps) === JSON.stringify(trace.steps) ? [] : [[trace, steps] as const]
  })

describe("traces of the model of a module's life, from Quint", () => {
  it("are what the node's own machine does, step by step", () => assert.deepStrictEqual(differing(replayedSteps), []))

  it("are what the oracle of the fuzz target does", () => assert.deepStrictEqual(differing(modelledSteps), []))

  it("have each phase with each input, and each action", () => {
    const steps = TRACES.flatMap(({ steps: all }) =>
      all.map((step, i) => `${i === 0 ? "Starting" : all[i - 1]!.phase} ${step.input}`)
    )
    const actions = TRACES.flatMap(({ steps: all }) => all.flatMap((step) => step.actions))
    assert.strictEqual(new Set(steps).size, 6 * 6)
    assert.strictEqual(new Set(actions.map((action) => action.split(" ")[0])).size, 9)
  })
})
