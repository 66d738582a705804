import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as TestClock from "effect/testing/TestClock"
import { JsonMembers, type JsonRead } from "../../src/json/json-value.ts"
import { blockTemplate } from "../../src/methods/mining/block-template.ts"
import { awaitTemplate } from "../../src/methods/mining/template-wait.ts"
import type { MethodNode } from "../../src/methods/definition/method-node.ts"
import { callError } from "../../src/queries/call-error.ts"
import { STATE } from "./fake-chain.ts"

const TIP = "07".repeat(32)

/** A miner's node on a tip, with a mempool that has changed so often. */
const waitingNode = Effect.gen(function*() {
  const states = yield* SubscriptionRef.make(STATE)
  const stop = yield* Deferred.make<void>()
  const updates = { now: 5, atTemplate: 4 }
  const node = {
    shutdown: { requested: Deferred.await(stop) },
    chain: {
      state: () => SubscriptionRef.getUnsafe(states),
      states: SubscriptionRef.changes(states),
      call: () => Effect.sync(() => ({ ...updates }))
    }
  }
  const wait = (id: JsonRead) =>
    Effect.forkChild(awaitTemplate(id, node as unknown as MethodNode), { startImmediately: true })
  const isOver = (fiber: Fiber.Fiber<boolean, unknown>) => Effect.sync(() => fiber.pollUnsafe() !== undefined)
  const mine = SubscriptionRef.set(states, { ...STATE, hash: new Uint8Array(32).fill(9) })
  return { wait, isOver, mine, updates, stop: Deferred.succeed(stop, undefined) }
})

describe("the wait for another template", () => {
  it.effect("ends at once for another tip, and when the tip changes", () =>
    Effect.gen(function*() {
      const { isOver, mine, wait } = yield* waitingNode
      yield* Fiber.join(yield* wait("00".repeat(32) + "5"))
      const waiting = yield* wait(`${TIP}5`)
      yield* TestClock.adjust("59 seconds")
      assert.isFalse(yield* isOver(waiting))
      yield* mine
      yield* Fiber.join(waiting)
    }))

  it.effect("ends after a minute when the mempool has changed, else as soon as it is found to have, each ten seconds", () =>
    Effect.gen(function*() {
      const { isOver, updates, wait } = yield* waitingNode
      for (const id of [`${TIP}4`, TIP, true]) {
        const stale = yield* wait(id)
        yield* TestClock.adjust("59 seconds")
        assert.isFalse(yield* isOver(stale))
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(stale)
      }
      const waiting = yield* wait(`${TIP}5`)
      yield* TestClock.adjust("65 seconds")
      updates.now++
      yield* TestClock.adjust("4 seconds")
      assert.isFalse(yield* isOver(waiting))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(waiting)
    }))

  it.effect("ends when the node stops, which it answers, and fails for an id that is none", () =>
    Effect.gen(function*() {
      const { mine, stop, wait } = yield* waitingNode
      const stopped = yield* wait(`${TIP}5`)
      yield* stop
      assert.isFalse(yield* Fiber.join(stopped))
      yield* mine
      assert.isTrue(yield* Fiber.join(yield* wait(`${TIP}5`)))
      const problem = (id: JsonRead) => Effect.flatMap(wait(id), (fiber) => Effect.flip(Fiber.join(fiber)))
      assert.deepInclude(yield* problem("abc"), {
        _tag: "InvalidParameter",
        message: "longpollid must be of length 64 (not 3, for 'abc')"
      })
      assert.deepInclude(yield* problem("z".repeat(70)), {
        _tag: "InvalidParameter",
        message: `longpollid must be hexadecimal string (not '${"z".repeat(64)}')`
      })
    }))

  it.effect("fails for a node that stops and makes no template any more", () =>
    Effect.gen(function*() {
      const node = {
        network: { name: "regtest", parameters: {} },
        shutdown: { requested: Effect.void },
        chain: { state: () => STATE, states: Stream.never, call: () => Effect.fail(callError("Misc", "closed")) }
      }
      const request = new JsonMembers(["rules", "longpollid"], [["segwit"], `${TIP}5`])
      const failure = yield* Effect.flip(blockTemplate(request, node as unknown as MethodNode))
      assert.deepInclude(failure, { _tag: "NotConnected", message: "Shutting down" })
    }))

  it.effect("ends when the chain notifies no more", () =>
    Effect.gen(function*() {
      const node = {
        shutdown: { requested: Effect.never },
        chain: { state: () => STATE, states: Stream.empty, call: () => Effect.succeed({ now: 5, atTemplate: 5 }) }
      }
      assert.isFalse(yield* awaitTemplate(`${TIP}5`, node as unknown as MethodNode))
    }))
})
