import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { CrashPoint } from "../../../src/engine/options/crash-point.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import {
  BASE,
  coinsOf,
  heights,
  type Loading,
  loadingEngine,
  prepare,
  recordForAll,
  type Records,
  submit,
  TOP
} from "./snapshot-rig.ts"

let recorded: Records
recordForAll((records) => {
  recorded = records
})

const CRASHES: ReadonlyArray<CrashPoint> = [
  "snapshot-coins",
  "before-snapshot-activated",
  "snapshot-activated",
  "background-connected",
  "snapshot-confirmed"
]

describe("a node that is killed while it loads or confirms a snapshot", () => {
  it.live.each(CRASHES)("at %s goes on to the same coins", (crashAt) =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(Effect.flatMap(loadingEngine(directory, recorded), (engine) => prepare(engine, recorded, 3)))
      const work = (engine: Loading) =>
        Effect.gen(function*() {
          if (engine.chain.snapshot === undefined) yield* engine.call("loadCoins", { file: recorded.file })
          yield* submit(engine, recorded, BASE, TOP)
          yield* submit(engine, recorded, 3, BASE)
        })
      let reached = 0
      const dying = loadingEngine(directory, recorded, { crashAt, reached: () => void reached++ })
      const killed = yield* Effect.exit(Effect.scoped(Effect.flatMap(dying, work)))
      // What is compared in the background fails no call.
      assert.isTrue(Exit.isFailure(killed) || crashAt === "snapshot-confirmed")
      assert.strictEqual(reached, 1)
      yield* Effect.scoped(Effect.gen(function*() {
        const engine = yield* loadingEngine(directory, recorded)
        if (crashAt === "snapshot-coins") {
          assert.isTrue(engine.chain.chainstates.hasLeftover, "half of the coins are there")
        }
        if (heights(engine).tip < BASE) {
          yield* engine.call("loadCoins", { file: recorded.file })
        }
        yield* submit(engine, recorded, BASE, TOP)
        yield* submit(engine, recorded, 3, BASE)
        assert.deepStrictEqual(heights(engine), { tip: TOP, behind: undefined, assumed: undefined })
        assert.strictEqual(yield* coinsOf(engine), recorded.top)
      }))
    }))
})
