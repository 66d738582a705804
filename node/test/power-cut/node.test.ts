import { assert, describe, it } from "@effect/vitest"
import { cutNode } from "./cut-node.ts"
import { canRecord } from "./recorder.ts"
import { patience } from "../process/patience.ts"

// A few of the cuts that `pnpm test:powercut` makes thousands of.
const CUTS = 12

describe.skipIf(!canRecord)("a node after a power cut", () => {
  for (const series of [{ backend: "heed3", indexes: true }, { backend: "leveldb", indexes: true }] as const) {
    it(
      `starts on ${series.backend} without a rebuild and with everything it had answered`,
      { timeout: patience(240_000) },
      async () => {
        let cuts = 0
        const seed = Number(process.env["LOCKSTEP_SEED"] ?? 1)
        // The last cut is looked at with a process.
        await cutNode({ ...series, seed, steps: 4, cuts: CUTS, processEvery: CUTS, onCut: () => void cuts++ })
        assert.strictEqual(cuts, CUTS)
      }
    )
  }
})
