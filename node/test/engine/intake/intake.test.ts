import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { ChainEngine } from "../../../src/engine/chain-engine.ts"
import type { Writer } from "../../../src/engine/chainstate/writer.ts"
import { makeIntake } from "../../../src/engine/intake/intake.ts"

describe("arrivals of peers", () => {
  it.effect("are taken by one worker, however many come before it has begun", () =>
    Effect.gen(function*() {
      let begun = 0
      const background = { start: () => void begun++ }
      const intake = makeIntake({} as ChainEngine, {} as Writer, background as never)
      const arrive = Effect.forkChild(intake.acceptHeaders({ headers: new Uint8Array(0) }), { startImmediately: true })
      const waiting = [yield* arrive, yield* arrive, yield* arrive]
      assert.strictEqual(begun, 1)
      yield* Fiber.interruptAll(waiting)
    }))
})
