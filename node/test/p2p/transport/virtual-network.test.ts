import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import type { Transport } from "../../../src/p2p/transport/transport.ts"
import { virtualClock } from "../../../src/p2p/transport/virtual/virtual-clock.ts"
import { virtualNetwork } from "../../../src/p2p/transport/virtual/virtual-network.ts"
import { recorder, type Side } from "./recorder.ts"
import { endpoint } from "./transport-suite.ts"

const [ONE, TWO, THREE] = ["10.0.0.1:1", "10.0.0.2:1", "10.0.0.3:1"].map(endpoint)

const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

const world = (seed: number, rate?: number) =>
  Effect.sync(() => {
    const clock = virtualClock(0)
    const network = virtualNetwork({ clock, random: seededRandom(seed), delay: [1, 50], rate: () => rate })
    const transports = [ONE!, TWO!, THREE!].map(({ address }) => network.transport(address))
    const pass = Effect.fnUntraced(function*(milliseconds: number) {
      for (const end = clock.now() + milliseconds; clock.now() < end;) {
        yield* turn
        clock.advanceTo(Math.min(end, clock.nextAt() ?? end))
        yield* turn
      }
    })
    const connect = Effect.fnUntraced(function*(from: Transport, to: Transport, at = TWO!) {
      const [ours, theirs] = [recorder(), recorder()]
      yield* to.listen(at, theirs.accept)
      const outcome: Array<string> = []
      yield* Effect.forkChild(Effect.match(from.dial(at, ours.accept), {
        onSuccess: () => void outcome.push("connected"),
        onFailure: ({ message }) => void outcome.push(message)
      }))
      yield* pass(6_000)
      return { ours: ours.sides[0] as Side, theirs: theirs.sides[0] as Side, outcome }
    })
    return { clock, network, transports: transports as [Transport, Transport, Transport], pass, connect }
  })

describe("a network within the process", () => {
  it.effect("is the same again for the same seed, and another one for another", () =>
    Effect.gen(function*() {
      const run = Effect.fnUntraced(function*(seed: number) {
        const { clock, connect, pass, transports: [one, two] } = yield* world(seed)
        const { ours, theirs } = yield* connect(one, two)
        const history: Array<string> = []
        for (let i = 0; i < 20; i++) {
          ours.connection.send(Uint8Array.of(i))
          yield* pass(10)
          history.push(`${clock.now()}:${theirs.bytes.length}`)
        }
        return history.join()
      })
      assert.strictEqual(yield* run(1), yield* run(1))
      assert.notStrictEqual(yield* run(1), yield* run(2))
    }))

  it.effect("keeps what is on its way while it is parted, and brings it when it is one again", () =>
    Effect.gen(function*() {
      const { connect, network, pass, transports: [one, two, three] } = yield* world(3)
      const { ours, theirs } = yield* connect(one, two)
      network.partition([[ONE!.address], [TWO!.address]])
      ours.connection.send(Uint8Array.of(1, 2))
      yield* pass(60_000)
      assert.deepStrictEqual([theirs.bytes.length, theirs.closed.length], [0, 0])
      assert.strictEqual(ours.connection.unsent(), 2)
      assert.deepStrictEqual((yield* connect(one, two, endpoint("10.0.0.2:7"))).outcome, ["no answer within 5 s"])
      assert.deepStrictEqual((yield* connect(three, two, endpoint("10.0.0.2:8"))).outcome, ["connected"])
      network.heal()
      yield* pass(1_000)
      assert.deepStrictEqual(theirs.bytes, [1, 2])
      assert.strictEqual(ours.connection.unsent(), 0)
    }))

  it.effect("loses connections as a broken line does", () =>
    Effect.gen(function*() {
      const { connect, network, pass, transports: [one, two] } = yield* world(4)
      const { ours, theirs } = yield* connect(one, two)
      assert.strictEqual(network.connections(), 1)
      assert.strictEqual(network.drop(THREE!.address), 0)
      assert.strictEqual(network.drop(ONE!.address, TWO!.address), 1)
      yield* pass(10)
      assert.deepStrictEqual([ours.closed, theirs.closed], [["the connection was lost"], ["the connection was lost"]])
      assert.strictEqual(network.connections(), 0)
    }))

  it.effect("has lines that carry only so much in a time", () =>
    Effect.gen(function*() {
      const { connect, pass, transports: [one, two] } = yield* world(5, 10)
      const { ours, theirs } = yield* connect(one, two)
      for (let i = 0; i < 10; i++) ours.connection.send(new Uint8Array(1_000))
      yield* pass(500)
      assert.isAtMost(theirs.bytes.length, 5_000)
      yield* pass(2_000)
      assert.strictEqual(theirs.bytes.length, 10_000)
    }))
})
