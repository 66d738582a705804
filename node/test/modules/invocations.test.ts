import { assert, describe, it } from "@effect/vitest"
import type { ModuleMessageOf } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { ConnectionEnd } from "../../src/modules/ipc/connection.ts"
import { MAX_INVOCATIONS_AT_ONCE, openInvocations } from "../../src/modules/ipc/invocations.ts"

const LIMIT_MS = 5_000
const CALL = { _tag: "Rpc", method: "hello", params: "[]" } as const

/** Invocations of a module that answers nothing of itself; `broken`: nothing can be sent to it. */
const invocations = () => {
  const sent: Array<ModuleMessageOf<"Invocation">> = []
  const state = { broken: false }
  const opened = openInvocations({
    module: "watcher",
    limitMs: LIMIT_MS,
    send: (message) =>
      Effect.suspend(() => {
        if (state.broken) return Effect.fail(new ConnectionEnd({ reason: "the pipe is broken", isProtocol: false }))
        sent.push(message)
        return Effect.void
      })
  })
  const answer = ({ correlation_id }: ModuleMessageOf<"Invocation">, result: string) =>
    opened.settle({
      _tag: "InvocationResult",
      correlation_id,
      success: true,
      payload: { _tag: "Rpc", result },
      error: undefined
    } as ModuleMessageOf<"InvocationResult">)
  return { ...opened, answer, sent, state }
}

const MANY = Array.from({ length: MAX_INVOCATIONS_AT_ONCE }, (_, i) => i)

/** Asks as often as may be at once, and comes back when all was sent. */
const askMany = ({ invoke }: Pick<ReturnType<typeof invocations>, "invoke">) =>
  Effect.forEach(MANY, () => Effect.forkChild(Effect.flip(invoke(CALL)), { startImmediately: true }))

/** Whether one more call is sent and answered. */
const isServed = Effect.fnUntraced(function*(calls: ReturnType<typeof invocations>) {
  const asked = yield* Effect.forkChild(calls.invoke(CALL), { startImmediately: true })
  const last = calls.sent.at(-1)!
  yield* calls.answer(last, "\"served\"")
  assert.deepStrictEqual(yield* Fiber.join(asked), { _tag: "Rpc", result: "\"served\"" })
})

describe("calls of a module", () => {
  it.effect("are sent again after as many have timed out as may be under way", () =>
    Effect.gen(function*() {
      const calls = invocations()
      const waiting = yield* askMany(calls)
      assert.lengthOf(calls.sent, MANY.length)
      assert.strictEqual((yield* Effect.flip(calls.invoke(CALL))).kind, "ResourceExhausted")
      assert.lengthOf(calls.sent, MANY.length)
      yield* TestClock.adjust(LIMIT_MS)
      for (const each of waiting) assert.strictEqual((yield* Fiber.join(each)).kind, "Timeout")
      yield* isServed(calls)
    }))

  it.effect("are sent again after as many were interrupted", () =>
    Effect.gen(function*() {
      const calls = invocations()
      for (const each of yield* askMany(calls)) yield* Fiber.interrupt(each)
      yield* isServed(calls)
    }))

  it.effect("are sent again after as many could not be sent", () =>
    Effect.gen(function*() {
      const calls = invocations()
      calls.state.broken = true
      for (const each of yield* askMany(calls)) {
        assert.deepInclude(yield* Fiber.join(each), { kind: "ConnectionError", text: "the pipe is broken" })
      }
      calls.state.broken = false
      yield* isServed(calls)
    }))

  it.effect("are sent again after as many were answered, each with an id of its own", () =>
    Effect.gen(function*() {
      const calls = invocations()
      for (let i = 0; i < 2 * MAX_INVOCATIONS_AT_ONCE; i++) yield* isServed(calls)
      assert.strictEqual(new Set(calls.sent.map(({ correlation_id }) => correlation_id)).size, calls.sent.length)
    }))

  it.effect("all fail when the module is gone, and an answer that comes late has no effect", () =>
    Effect.gen(function*() {
      const calls = invocations()
      const waiting = yield* askMany(calls)
      yield* calls.endAll
      for (const each of waiting) assert.strictEqual((yield* Fiber.join(each)).kind, "ConnectionError")
      yield* calls.answer(calls.sent[0]!, "\"late\"")
      yield* isServed(calls)
    }))

  it.effect.each([
    ["{\"code\":-8}", -8],
    ["{\"code\":12345}", 12_345],
    ["{\"code\":123456}", undefined],
    ["{\"code\":-8,\"a\":1}", undefined],
    ["\"-8\"", undefined]
  ])("fail with the code of RPC that a failed answer carries: %s", ([result, code]) =>
    Effect.gen(function*() {
      const { invoke, sent, settle } = invocations()
      const asked = yield* Effect.forkChild(Effect.flip(invoke(CALL)), { startImmediately: true })
      yield* settle({
        _tag: "InvocationResult",
        correlation_id: sent[0]!.correlation_id,
        success: false,
        payload: { _tag: "Rpc", result },
        error: "Timeout: no"
      } as ModuleMessageOf<"InvocationResult">)
      const { code: shown, text } = yield* Fiber.join(asked)
      assert.deepStrictEqual([shown, text], [code, "no"])
    }))
})
