import { assert, describe, it } from "vitest"
import { randomFrom } from "../session.ts"
import { emptyWorld, type World } from "./world.ts"
import { takeStep } from "./world-steps.ts"

const SEED = Number(process.env["LOCKSTEP_SEED"] ?? Date.now() % 1_000_000)
const RUNS = 4
const STEPS = 250
const SMALL = { limits: { transactions: 5, size: 5_000 }, maxBytes: 26_000 }

const play = (seed: number): World => {
  const world = emptyWorld(SMALL, randomFrom(seed))
  while (world.step < STEPS) takeStep(world)
  return world
}

describe("the mempool and a naive one", () => {
  it("are the same after every random step, and entries leave for every reason", () => {
    const reasons = new Set<string>()
    for (let seed = SEED; seed < SEED + RUNS; seed++) {
      try {
        for (const reason of play(seed).departures) reasons.add(reason)
      } catch (error) {
        throw new Error(`with seed ${seed}`, { cause: error })
      }
    }
    assert.containsAllKeys(reasons, ["block", "conflict", "expiry", "reorg", "replaced", "sizelimit"])
  })
})
