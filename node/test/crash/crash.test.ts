import { assert, describe, it } from "@effect/vitest"
import { CRASH_POINTS } from "../../src/engine/options/crash-point.ts"
import { crashRounds } from "./rounds.ts"
import { patience } from "../process/patience.ts"

// A few of the rounds that `pnpm test:crash` makes hundreds of.
const ROUNDS = 6

describe("a node that is killed under load", () => {
  for (const series of [{ backend: "heed3", indexes: true }, { backend: "leveldb", indexes: false }] as const) {
    it(`comes back on ${series.backend} with everything it had answered`, { timeout: patience(240_000) }, async () => {
      // The same moments every time, as far as a clock allows; the command tries others.
      const seed = 1
      let rounds = 0
      await crashRounds({ ...series, rounds: ROUNDS, seed, points: CRASH_POINTS, onRound: () => void rounds++ })
      assert.strictEqual(rounds, ROUNDS)
    })
  }
})
