import { assert, describe, it } from "vitest"
import { coreTexts } from "../../bitcoind/core-texts.ts"
import type { TraceEvent } from "../../../src/runtime/trace.ts"
import { addressBook } from "../../../src/p2p/addresses/address-book.ts"
import { fixedSeeding } from "../../../src/p2p/connections/fixed-seeding.ts"
import { routes } from "../../../src/p2p/connections/routes.ts"
import type { P2pContext } from "../../../src/p2p/peer/p2p-context.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { type Connection, DialError } from "../../../src/p2p/transport/transport.ts"
import { endpointText } from "../../../src/net/endpoint-text.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { endpoint } from "../transport/transport-suite.ts"

const V4 = endpoint("20.1.1.1:8333")
const V6 = endpoint("[2a01::1]:8333")

describe("the routes to networks", () => {
  const made = () => {
    const events: Array<readonly [string, object]> = []
    const way = routes({ event: (type, payload) => void events.push([type, payload]), log: () => undefined })
    const over = (local: typeof V4 | undefined) => ({ local }) as Connection
    const fails = (isProxy: boolean) => new DialError({ message: "gone", isProxy })
    return { events, fails, over, way }
  }

  it("are reported once each, with a hop where a proxy stands between", () => {
    const { events, over, way } = made()
    for (let again = 0; again < 2; again++) {
      way.reached(V4, over(V4))
      way.reached(V6, over(undefined))
    }
    assert.deepStrictEqual(events, [
      ["RouteDiscovered", { destination: "ipv4", path: [] }],
      ["RouteDiscovered", { destination: "ipv6", path: ["proxy"] }]
    ])
    const other = made()
    other.way.reached({ ...V4, quic: { identity: undefined } }, over(undefined))
    assert.deepStrictEqual(other.events, [["RouteDiscovered", { destination: "ipv4", path: [] }]])
  })

  it("fail with the proxy, not with a node, once until they work again", () => {
    const { events, fails, over, way } = made()
    way.failed(V4, fails(false))
    assert.deepStrictEqual(events, [])
    way.failed(V4, fails(true))
    way.failed(V4, fails(true))
    way.reached(V4, over(undefined))
    way.failed(V4, fails(true))
    assert.deepStrictEqual(events.map(([type]) => type), ["RouteFailed", "RouteDiscovered", "RouteFailed"])
    assert.deepStrictEqual(events[0]![1], { destination: "ipv4", reason: "gone" })
  })
})

describe("the addresses of the release", () => {
  const START = 1_700_000_000_000
  const WEEK = 604_800
  const made = (hasOtherSources: boolean, built: ReadonlyArray<typeof V4> | undefined) => {
    const clock = { now: START }
    const environment = { now: () => unixMilliseconds(clock.now), random: seededRandom(4) }
    const said: Array<string> = []
    const logged: Array<unknown> = []
    const book = addressBook(environment)
    const context = {
      environment,
      notify: {
        trace: (happening: TraceEvent) => void said.push(...coreTexts(happening)),
        log: (_level: string, _message: string, fields: object) => void logged.push(fields)
      },
      chain: { state: () => ({ mockTime: 0 }) }
    } as unknown as P2pContext
    const reachable = new Set(["ipv4", "ipv6"] as const)
    const { tick } = fixedSeeding({ book, built, context, hasOtherSources: () => hasOtherSources, reachable })
    const known = () => book.table.list.map((node) => endpointText(node)).toSorted()
    return { book, clock, known, logged, said, tick }
  }
  const BUILT = [V4, V6, endpoint("30.1.1.1:8333")]

  it("are used after a minute, for the networks in which no address is known, once", () => {
    const { book, clock, known, logged, said, tick } = made(true, BUILT)
    book.add([{ ...V6, port: 1, services: 9n, time: START / 1_000 }], V6.address)
    clock.now = START + 59_999
    tick()
    assert.deepStrictEqual([known(), said], [["[2a01::1]:1"], []])
    clock.now++
    tick()
    assert.deepStrictEqual(known(), ["20.1.1.1:8333", "30.1.1.1:8333", "[2a01::1]:1"])
    assert.deepStrictEqual(logged, [{ addresses: 2, networks: "ipv4" }])
    assert.match(said.join(), /^Adding fixed seeds as 60 seconds .*,Added 2 fixed seeds from reachable networks\.$/)
    for (const { address, services, time } of book.table.list.filter(({ port }) => port === 8333)) {
      const age = Math.floor(clock.now / 1_000) - time
      assert.isTrue(age >= WEEK && age < 2 * WEEK, `${age} ${address.bytes}`)
      assert.strictEqual(services, 9n)
    }
    tick()
    assert.lengthOf(logged, 1)
  })

  it("are used at once where nothing else gives addresses, and not where none is missing or there are none", () => {
    const alone = made(false, BUILT)
    alone.tick()
    assert.lengthOf(alone.known(), 3)
    assert.match(alone.said[0]!, /^Adding fixed seeds as -dnsseed=0 /)
    const full = made(false, BUILT)
    for (const at of [V4, V6]) full.book.add([{ ...at, port: 1, services: 9n, time: START / 1_000 }], at.address)
    full.tick()
    assert.deepStrictEqual([full.known().length, full.said], [2, []])
    const off = made(false, undefined)
    off.tick()
    assert.deepStrictEqual([off.known(), off.said], [[], ["Fixed seeds are disabled"]])
    const other = made(false, [endpoint("pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion:8333")])
    other.tick()
    assert.deepStrictEqual([other.known(), other.logged], [[], []])
    assert.strictEqual(other.said.at(-1), "Added 0 fixed seeds from reachable networks.")
  })
})
