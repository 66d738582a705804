import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import { readdirSync } from "node:fs"
import { EventBus } from "../../../src/events/event-bus.ts"
import { fiberCount } from "../../p2p/simulation/fiber-count.ts"
import { MODULE_SOURCE } from "./module-program.ts"
import { modulesInDirectory } from "./modules-in-directory.ts"

const TIMER = 31
const PROGRAM = `${MODULE_SOURCE}handshake(); request(${TIMER}, u64(60)); subscribe(0)`

const openFiles = (): number => process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0

describe("a module that is loaded and unloaded again and again", () => {
  it.live("leaves no fiber, no open file, no socket and no subscription", () => {
    const fibers = fiberCount((defect) => assert.fail(defect))
    return Effect.scoped(Effect.gen(function*() {
      const { modules, places } = yield* modulesInDirectory({
        program: PROGRAM,
        capabilities: ["subscribe_events", "manage_timers"]
      })
      const cycle = Effect.andThen(modules.load("a"), modules.unload("a"))
      yield* cycle
      const before = { fibers: fibers.running(), files: openFiles() }
      for (let i = 0; i < 5; i++) yield* cycle
      assert.strictEqual(fibers.running(), before.fibers)
      assert.isAtMost(openFiles(), before.files)
      assert.deepStrictEqual(readdirSync(places.sockets), [])
      assert.deepStrictEqual(modules.methods.all(), [])
    })).pipe(
      Effect.provide([EventBus.layer, Logger.layer([])]),
      Effect.provideService(Metric.FiberRuntimeMetrics, fibers.metrics)
    )
  })
})
