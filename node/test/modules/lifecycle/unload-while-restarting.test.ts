import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { EventBus } from "../../../src/events/event-bus.ts"
import { MODULE_SOURCE } from "./module-program.ts"
import { modulesInDirectory } from "./modules-in-directory.ts"

/** Ends by itself the first time, once it runs, and stays the next time. */
const FRAIL = `${MODULE_SOURCE}
const fs = require("node:fs")
handshake()
if (!fs.existsSync("crashed")) { fs.writeFileSync("crashed", ""); setTimeout(() => process.exit(3), 50) }
`

describe("a module that is unloaded while its process is made again", () => {
  it.live.each([["backing off", "crashed"], ["starting", "unloaded"]] as const)(
    "is over, also where it takes a moment to announce its state (%s)",
    ([state, after]) =>
      Effect.scoped(Effect.gen(function*() {
        const announced = yield* Deferred.make<void>()
        let isBack = false
        const bus = yield* EventBus
        yield* bus.observe({
          run: ({ payload, type }) => {
            const { new_state, old_state } = payload as Readonly<Record<string, string>>
            isBack ||= new_state === "backing off"
            if (type !== "ModuleStateChanged" || !isBack || new_state !== state) return Effect.void
            assert.include(["loaded", "backing off"], old_state)
            return Effect.andThen(Deferred.succeed(announced, undefined), Effect.sleep("200 millis"))
          }
        })
        const { modules } = yield* modulesInDirectory({
          program: FRAIL,
          capabilities: [],
          options: { restartsCrashed: true }
        })
        yield* modules.load("a")
        yield* Deferred.await(announced)
        const { status } = yield* modules.unload("a")
        assert.strictEqual(status, after)
        assert.strictEqual((yield* modules.load("a")).status, "loaded")
      })).pipe(Effect.provide(EventBus.layer))
  )
})
