import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { onionText } from "../../../src/net/onion.ts"
import type { Endpoint } from "../../../src/net/endpoint.ts"
import { connectAs, AUTOMATIC_KINDS, type AutomaticKind } from "../../../src/p2p/connections/connect-as.ts"
import { boundEndpoints } from "../../../src/p2p/connections/bound-endpoints.ts"
import { discouraged } from "../../../src/p2p/connections/discouragement.ts"
import type { Attempt } from "../../../src/p2p/connections/dialer.ts"
import { routes } from "../../../src/p2p/connections/routes.ts"
import { type Connection, DialError } from "../../../src/p2p/transport/transport.ts"
import { endpoint } from "../transport/transport-suite.ts"

const ONE = endpoint("20.1.1.1:8333")

describe("a connection of a kind that the operator names", () => {
  const place = (
    counted: number,
    more: { readonly found?: ReadonlyArray<Endpoint>; readonly isThere?: true; readonly isBusy?: true } = {}
  ) => {
    const dialed: Array<Attempt> = []
    const settles: Array<() => void> = []
    const connect = connectAs({
      census: { count: () => counted, isConnectedTo: () => more.isThere === true } as never,
      dialer: {
        dial: (attempt: Attempt, done: () => void) => {
          if (more.isBusy === true) return false
          dialed.push(attempt)
          settles.push(done)
          return true
        }
      } as never,
      find: () => Effect.succeed(more.found ?? [ONE]),
      slots: { fullRelay: 8, blockRelay: 2, feelers: 1, inbound: 0 }
    })
    return { connect, dialed, settles }
  }
  const made = (kind: AutomaticKind, counted: number) => {
    const { connect, dialed, settles } = place(counted)
    void Effect.runPromise(connect("20.1.1.1", kind, false))
    settles[0]?.()
    return dialed.length === 1
  }

  it("is made while slots of that kind are free; fetches of addresses and feelers have no number", () => {
    assert.deepStrictEqual(
      AUTOMATIC_KINDS.map((kind) => [made(kind, 1), made(kind, 2), made(kind, 7), made(kind, 8)]),
      [
        [true, true, true, false],
        [true, false, false, false],
        [true, true, true, true],
        [true, true, true, true]
      ]
    )
  })

  it.effect("answers once the attempt is over, and at once where none is begun", () =>
    Effect.gen(function*() {
      const { connect, dialed, settles } = place(0)
      const answers: Array<boolean> = []
      const waiting = Effect.runPromise(connect("20.1.1.1", "feeler", true)).then((answer) => answers.push(answer))
      yield* Effect.yieldNow
      assert.deepStrictEqual([dialed, answers], [[{
        endpoint: ONE,
        kind: "feeler",
        writtenAs: "20.1.1.1",
        isV2: true
      }], []])
      settles[0]!()
      yield* Effect.promise(() => waiting)
      assert.deepStrictEqual(answers, [true])
      assert.isFalse(yield* place(8).connect("20.1.1.1", "outbound-full-relay", false))
      for (const more of [{ found: [] }, { isThere: true }, { isBusy: true }] as const) {
        const other = place(0, more)
        assert.isTrue(yield* other.connect("20.1.1.1", "feeler", false))
        assert.lengthOf(other.dialed, 0)
      }
    }))
})

describe("routes to networks", () => {
  const onion = endpoint(`${onionText(new Uint8Array(32).fill(7))}:8333`)
  const place = () => {
    const observed: Array<unknown> = []
    const { failed, reached } = routes({
      event: (type, payload) => void observed.push([type, payload]),
      log: () => undefined
    })
    return {
      reached: (at: Endpoint, local?: Endpoint) => reached(at, { local } as Connection),
      failed: (at: Endpoint, isProxy: boolean) => failed(at, new DialError({ message: "down", isProxy })),
      said: () => observed.splice(0)
    }
  }
  const found = (destination: string, ...path: ReadonlyArray<string>) => [["RouteDiscovered", { destination, path }]]
  const lost = (destination: string) => [["RouteFailed", { destination, reason: "down" }]]

  it("are reported when they work for the first time, with a hop more through a proxy", () => {
    const { reached, said } = place()
    reached(ONE, endpoint("10.0.0.1:1"))
    assert.deepStrictEqual(said(), found("ipv4"))
    reached(ONE, endpoint("10.0.0.1:1"))
    assert.deepStrictEqual(said(), [])
    reached(onion)
    assert.deepStrictEqual(said(), found("onion", "proxy"))
  })

  it("are lost when the proxy fails, once, until they work again", () => {
    const { failed, reached, said } = place()
    failed(onion, false)
    assert.deepStrictEqual(said(), [])
    failed(onion, true)
    assert.deepStrictEqual(said(), lost("onion"))
    failed(onion, true)
    assert.deepStrictEqual(said(), [])
    reached(onion)
    assert.deepStrictEqual(said(), found("onion", "proxy"))
    failed(onion, true)
    failed(ONE, true)
    assert.deepStrictEqual(said(), [...lost("onion"), ...lost("ipv4")])
  })
})

describe("discouraged addresses", () => {
  const at = (i: number) => endpoint(`20.1.1.${i}:1`).address

  it("are remembered for at least half of the most there may be, and at most for all", () => {
    const { add, has, size } = discouraged(8)
    for (let i = 1; i <= 8; i++) add(at(i))
    assert.deepStrictEqual([size(), has(at(1)), has(at(9))], [8, true, false])
    add(at(9))
    assert.deepStrictEqual([1, 4, 5, 8, 9].map((i) => has(at(i))), [false, false, true, true, true])
    assert.strictEqual(size(), 5)
  })

  it("count once, with any port", () => {
    const { add, has, size } = discouraged()
    add(endpoint("20.1.1.1:7").address)
    add(endpoint("20.1.1.1:8").address)
    assert.deepStrictEqual([size(), has(at(1)), has(at(2))], [1, true, false])
  })
})

describe("endpoints this node is bound to", () => {
  it("are none until it listens, and then all of them", () => {
    const { bind, current } = boundEndpoints()
    assert.deepStrictEqual(current(), [])
    bind([ONE, endpoint("[::]:8333")])
    assert.deepStrictEqual(current(), [ONE, endpoint("[::]:8333")])
  })
})
