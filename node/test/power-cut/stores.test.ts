import { assert, describe, it } from "@effect/vitest"
import { cutStores, logNames } from "./cut-stores.ts"
import { canRecord } from "./recorder.ts"

describe.skipIf(!canRecord)("a store after a power cut", () => {
  for (const engine of ["heed3", "leveldb"] as const) {
    it(`${engine} holds whole batches, and all that were answered for, at every step`, async () => {
      const cuts = await cutStores({
        engine,
        entries: 20,
        batches: 3,
        sessions: 3,
        seed: Number(process.env["LOCKSTEP_SEED"] ?? 1),
        cutsPerStep: 1,
        oneStepIn: 1
      })
      assert.isAbove(cuts, 0)
    })
  }

  it("leveldb has the name of its log on disk when a batch is answered for, also when that batch began the log", async () => {
    const { logs } = await logNames({ entries: 20_000, batches: 24 })
    assert.isAtLeast(logs, 2)
  })
})
