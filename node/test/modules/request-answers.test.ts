import { assert, describe, it } from "@effect/vitest"
import type { IpcError, ModuleMessage, ResponsePayload } from "@lockstep/protocol/module-ipc/index.ts"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { type ConnectionEnd, protocolEnd } from "../../src/modules/ipc/connection.ts"
import { MAX_REQUESTS_AT_ONCE, requestAnswers } from "../../src/modules/ipc/request-answers.ts"

const HEIGHT: ResponsePayload = { _tag: "U64", value: 7 }

const request = (id: number, tag = "GetBlockHeight") =>
  ({ _tag: "Request", correlation_id: BigInt(id), payload: { _tag: tag } }) as never

/** A module whose messages are kept in words. */
const answering = Effect.fnUntraced(function*(
  handle: () => Effect.Effect<ResponsePayload, IpcError>,
  { fails = false, permissions = ["read_chain_state"] }: {
    readonly fails?: boolean
    readonly permissions?: ReadonlyArray<string>
  } = {}
) {
  const sent: Array<string> = []
  const end = yield* Deferred.make<never, ConnectionEnd>()
  const keep = (message: ModuleMessage): void => {
    if (message._tag !== "Response") return
    const { correlation_id, error, payload } = message
    sent.push(`${correlation_id} ${error ?? payload?._tag}`)
  }
  const answers = yield* requestAnswers({
    name: "watcher",
    limitMs: 200,
    permissions: new Set(permissions) as never,
    handle,
    send: (message) => fails ? protocolEnd("gone") : Effect.sync(() => keep(message)),
    sendNow: (message) => void keep(message)
  })
  /** Whether the next request had to be waited for. */
  const take = (id: number, tag?: string) => answers.take(request(id, tag), end)
  return { ...answers, end, sent, take }
})

const settle = Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow, { discard: true })

describe("the answers to the requests of a module", () => {
  it.effect("that are there at once are sent at once and counted, refusals apart", () =>
    Effect.scoped(Effect.gen(function*() {
      const answers: Array<Effect.Effect<ResponsePayload, IpcError>> = [
        Effect.succeed(HEIGHT),
        Effect.fail({ kind: undefined, text: "no such block" }),
        Effect.succeed(HEIGHT)
      ]
      const { sent, statistics, take } = yield* answering(() => answers.shift()!)
      assert.deepStrictEqual(statistics(), { answered: 0, refused: 0 })
      for (let i = 1; i <= 3; i++) assert.isUndefined(take(i))
      assert.isUndefined(take(4, "GetBlock"))
      assert.deepStrictEqual(sent, [
        "1 U64",
        "2 no such block",
        "3 U64",
        "4 PermissionDenied: GetBlock needs read_blockchain"
      ])
      assert.deepStrictEqual(statistics(), { answered: 2, refused: 2 })
    })))

  it.effect("that a handler throws or dies for are refused without its words", () =>
    Effect.scoped(Effect.gen(function*() {
      const handlers = [
        () => {
          throw new Error("secret")
        },
        () => Effect.die(new Error("secret")),
        () => Effect.delay(Effect.die(new Error("secret")), 1)
      ]
      const { sent, statistics, take } = yield* answering(() => handlers.shift()!())
      for (let i = 1; i <= 3; i++) yield* take(i) ?? Effect.void
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(sent, [1, 2, 3].map((i) => `${i} the node failed at GetBlockHeight`))
      assert.deepStrictEqual(statistics(), { answered: 0, refused: 3 })
    })))

  it.effect("come within the time limit, or are refused and interrupted with it", () =>
    Effect.scoped(Effect.gen(function*() {
      let interrupted = 0
      const never = Effect.onInterrupt(Effect.never, () => Effect.sync(() => void interrupted++))
      const { sent, take } = yield* answering(() => never)
      yield* take(1)!
      yield* TestClock.adjust(199)
      assert.deepStrictEqual([sent, interrupted], [[], 0])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual([sent, interrupted], [["1 Timeout: GetBlockHeight took more than 200 ms"], 1])
    })))

  it.effect("are at most sixteen under way, and one that is over gives its place to the next", () =>
    Effect.scoped(Effect.gen(function*() {
      const gates: Array<Deferred.Deferred<void>> = []
      const { sent, take } = yield* answering(() =>
        Effect.suspend(() => {
          const gate = Deferred.makeUnsafe<void>()
          gates.push(gate)
          return Effect.as(Deferred.await(gate), HEIGHT)
        })
      )
      assert.strictEqual(MAX_REQUESTS_AT_ONCE, 16)
      for (let i = 1; i <= 16; i++) yield* take(i)!
      const waiting = yield* Effect.forkScoped(take(17)!)
      yield* settle
      assert.deepStrictEqual([gates.length, waiting.pollUnsafe()], [16, undefined])
      yield* Deferred.succeed(gates[4]!, undefined)
      yield* settle
      assert.deepStrictEqual([gates.length, sent], [17, ["5 U64"]])
      assert.isDefined(waiting.pollUnsafe())
    })))

  it.effect("that are ready before they are waited for keep no place", () =>
    Effect.scoped(Effect.gen(function*() {
      const { sent, take } = yield* answering(() => Effect.suspend(() => Effect.succeed(HEIGHT)))
      for (let i = 1; i <= 40; i++) yield* take(i) ?? Effect.void
      assert.lengthOf(sent, 40)
    })))

  it.effect("that cannot be sent end the connection, and a second handshake does", () =>
    Effect.scoped(Effect.gen(function*() {
      const { end, take } = yield* answering(() => Effect.delay(Effect.succeed(HEIGHT), 1), { fails: true })
      yield* take(1)!
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Effect.flip(Deferred.await(end))).reason, "gone")
      const second = yield* Effect.flip(take(2, "Handshake")!)
      assert.deepStrictEqual([second.reason, second.isProtocol], ["a second handshake", true])
    })))
})
