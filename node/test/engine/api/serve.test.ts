import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { CallMessage, EngineMessage } from "../../../src/engine/api/engine-messages.ts"
import { serve } from "../../../src/engine/host/serve.ts"

describe("calls that come over a port", () => {
  it.live("are answered each by itself, with the error that they fail with, until one closes the engine", () =>
    Effect.gen(function*() {
      let receive: (message: CallMessage) => void = () => assert.fail("no call is expected")
      const sent: Array<EngineMessage> = []
      const logged: Array<unknown> = []
      const answers: Readonly<Record<string, Effect.Effect<unknown, unknown>>> = {
        blockFacts: Effect.succeed(7),
        submitBlock: Effect.fail({ _tag: "Undecodable", what: "block" }),
        generate: Effect.die(new Error("secret")),
        close: Effect.succeed("closed")
      }
      const engine = {
        call: (name: string) => answers[name]!,
        chain: { notify: (each: unknown) => void logged.push(each) }
      }
      const port = { on: (_event: "message", listener: typeof receive) => void (receive = listener) }
      const outbox = { send: (message: EngineMessage) => void sent.push(message), notify: () => {}, flush: () => {} }
      const serving = yield* Effect.forkChild(serve(port, outbox, engine as never), { startImmediately: true })
      for (const [id, name] of ["blockFacts", "submitBlock", "generate", "close"].entries()) {
        receive({ id, name, input: undefined } as unknown as CallMessage)
      }
      assert.deepStrictEqual(yield* Fiber.join(serving), { _tag: "Answer", id: 3, value: "closed" })
      assert.deepStrictEqual(sent, [
        { _tag: "Answer", id: 0, value: 7 },
        { _tag: "Failure", id: 1, error: { _tag: "Undecodable", what: "block" } },
        { _tag: "Failure", id: 2, error: { _tag: "Defect" } }
      ])
      assert.lengthOf(logged, 1, "the defect")
    }))

  it.live("get no answer when they still run as the engine is closed, which is answered when it is", () =>
    Effect.gen(function*() {
      let receive: (message: CallMessage) => void = () => assert.fail("no call is expected")
      const sent: Array<EngineMessage> = []
      const closing = yield* Deferred.make<string>()
      let isInterrupted = false
      const answers: Readonly<Record<string, Effect.Effect<unknown>>> = {
        generate: Effect.onInterrupt(Effect.never, () => Effect.sync(() => void (isInterrupted = true))),
        close: Deferred.await(closing),
        blockFacts: Effect.succeed(7)
      }
      const engine = { call: (name: string) => answers[name]!, chain: {} }
      const port = { on: (_event: "message", listener: typeof receive) => void (receive = listener) }
      const outbox = { send: (message: EngineMessage) => void sent.push(message), notify: () => {}, flush: () => {} }
      const serving = yield* Effect.forkChild(serve(port, outbox, engine as never), { startImmediately: true })
      for (const [id, name] of ["generate", "close", "blockFacts"].entries()) {
        receive({ id, name, input: undefined } as unknown as CallMessage)
      }
      yield* Effect.yieldNow
      assert.deepStrictEqual([serving.pollUnsafe(), isInterrupted], [undefined, false])
      yield* Deferred.succeed(closing, "closed")
      assert.deepStrictEqual(yield* Fiber.join(serving), { _tag: "Answer", id: 1, value: "closed" })
      assert.deepStrictEqual([sent, isInterrupted], [[{ _tag: "Answer", id: 2, value: 7 }], true])
    }))
})
