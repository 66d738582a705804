import { assert, describe, it } from "@effect/vitest"
import type { IpcError, ModuleHealth } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import { changeHealth, watchedCalls } from "../../src/modules/api/module-health.ts"

const ANSWER = { _tag: "Rpc", result: "1" } as const

/** A module whose next call ends as a test says, and what is published of it. */
const made = () => {
  const published: Array<string> = []
  const module: { name: string; health: ModuleHealth } = { name: "m", health: { _tag: "Healthy" } }
  let next: Effect.Effect<typeof ANSWER, IpcError> = Effect.succeed(ANSWER)
  const publish = (_: string, { new_status, old_status }: Readonly<Record<string, string>>) =>
    Effect.sync(() => void published.push(`${old_status} → ${new_status}`))
  const invoke = watchedCalls(() => module, publish as never, () => next)
  return {
    module,
    published,
    call: (ending: IpcError["kind"] | "answer") => {
      next = ending === "answer" ? Effect.succeed(ANSWER) : Effect.fail({ kind: ending, text: "" })
      return Effect.exit(invoke({ _tag: "Rpc", method: "a", params: "" }))
    },
    report: (health: ModuleHealth) => changeHealth(module, publish as never, health)
  }
}

describe("a module that does not answer its calls", () => {
  it.effect("is unresponsive until it answers again, an error included", () =>
    Effect.gen(function*() {
      const { call, module, published } = made()
      yield* call("answer")
      yield* call("Timeout")
      yield* call("Timeout")
      assert.deepStrictEqual([module.health._tag, published], ["Unresponsive", ["Healthy → Unresponsive"]])
      yield* call("ConnectionError")
      assert.strictEqual(module.health._tag, "Unresponsive")
      yield* call(undefined)
      assert.deepStrictEqual([module.health._tag, published[1]], ["Healthy", "Unresponsive → Healthy"])
      yield* call("Timeout")
      yield* call("answer")
      assert.strictEqual(published.length, 4)
    }))

  it.effect("keeps what it said of itself", () =>
    Effect.gen(function*() {
      const { call, module, published, report } = made()
      yield* report({ _tag: "Crashed", error: "my database" })
      yield* call("Timeout")
      yield* call("answer")
      assert.deepStrictEqual(module.health, { _tag: "Crashed", error: "my database" })
      assert.deepStrictEqual(published, ["Healthy → Crashed"])
      yield* report({ _tag: "Healthy" })
      yield* call("Timeout")
      yield* report({ _tag: "Healthy" })
      yield* call("answer")
      assert.deepStrictEqual(published.slice(2), ["Healthy → Unresponsive", "Unresponsive → Healthy"])
    }))
})
