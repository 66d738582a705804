import { assert, describe, it } from "@effect/vitest"
import type { AddressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import * as Effect from "effect/Effect"
import { coreTexts } from "../../bitcoind/core-texts.ts"
import type { TraceEvent } from "../../../src/runtime/trace.ts"
import { endpointText } from "../../../src/net/endpoint-text.ts"
import { addressBook } from "../../../src/p2p/addresses/address-book.ts"
import { routes } from "../../../src/p2p/connections/routes.ts"
import { fixedSeeding } from "../../../src/p2p/connections/fixed-seeding.ts"
import { makeSeeds, type Seeding } from "../../../src/p2p/connections/seeds.ts"
import type { P2pContext } from "../../../src/p2p/peer/p2p-context.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { type Connection, DialError } from "../../../src/p2p/transport/transport.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { endpoint } from "../transport/transport-suite.ts"

const START = 1_700_193_600_000
const NOW = START / 1_000
const DAY = 86_400
const NAMES = ["a.example", "b.example", "c.example", "d.example", "e.example"]

interface Options extends Partial<Seeding> {
  /** How many addresses are known at the start. */
  readonly known?: number
  readonly reachable?: ReadonlyArray<AddressKind>
  readonly namesToProxy?: boolean
  /** Whether addresses may come from elsewhere than the release. */
  readonly hasOtherSources?: boolean
  /** How many addresses a name has. */
  readonly answers?: (name: string) => number
}

/** Seeds with a clock of the test's; every draw is the least, or the most. */
const place = (
  {
    answers = () => 1,
    hasOtherSources = true,
    known = 0,
    namesToProxy = false,
    reachable = ["ipv4"],
    ...seeding
  }: Options = {}
) =>
  Effect.gen(function*() {
    const state = { outbound: 0, draw: "least" as "least" | "most", passed: 0 }
    const asked: Array<string> = []
    const fetched: Array<string> = []
    const said: Array<string> = []
    const now = () => unixMilliseconds(START + state.passed)
    const random = { ...seededRandom(1), below: (bound: number) => state.draw === "least" ? 0 : bound - 1 }
    const book = addressBook({ now, random: seededRandom(4) })
    const add = (i: number) =>
      book.add(
        [{ ...endpoint(`${100 + (i >> 8)}.${i & 255}.1.1:8333`), services: 9n, time: NOW }],
        endpoint(`${i % 200 + 1}.1.1.1:1`).address
      )
    for (let i = 0; book.size() < known; i++) add(i)
    const context = {
      chain: { state: () => ({ mockTime: 0 }) },
      environment: { now, random },
      network: { port: 8_333 },
      notify: {
        event: () => undefined,
        log: () => undefined,
        trace: (happening: TraceEvent) => void said.push(...coreTexts(happening))
      }
    }
    const seeds = yield* makeSeeds({
      context: context as unknown as P2pContext,
      book,
      resolve: (name) =>
        Effect.sync(() => {
          asked.push(name)
          return Array.from({ length: answers(name) }, (_, i) => endpoint(`${20 + i}.${asked.length}.0.1:1`).address)
        }),
      seeding: { names: NAMES, built: undefined, ...seeding },
      outboundCount: () => state.outbound,
      namesToProxy,
      fetchFrom: (at) => void fetched.push(at.name === undefined ? endpointText(at) : `${at.name}:${at.port}`)
    })
    const fixed = fixedSeeding({
      context: context as unknown as P2pContext,
      book,
      reachable: new Set(reachable),
      built: seeding.built,
      hasOtherSources: () => hasOtherSources
    })
    const settle = Effect.promise(async () => {
      for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve))
    })
    const tick = (after: number) =>
      Effect.suspend(() => {
        asked.length = 0
        state.passed = after
        seeds.tick(now())
        fixed.tick()
        return settle
      })
    return { asked, book, fetched, said, state, tick }
  })

/** How many seeds are asked at these times. */
const counts = Effect.fnUntraced(function*(options: Options, times: ReadonlyArray<number>, outbound = 0) {
  const { asked, state, tick } = yield* place({ answers: () => 0, ...options })
  state.outbound = outbound
  return yield* Effect.forEach(
    times,
    (time) => Effect.map(tick(time), () => asked.filter((name) => name.startsWith("x9.")).length)
  )
})

describe("DNS seeds", () => {
  it.effect("are all asked at once where no address is known, each for nodes with all blocks and witnesses", () =>
    Effect.gen(function*() {
      const { asked, tick } = yield* place()
      yield* tick(0)
      assert.sameMembers(asked, NAMES.map((name) => `x9.${name}.`))
      yield* tick(100_000)
      assert.deepStrictEqual(asked, [])
    }))

  it.effect("are asked three at a time after 11 seconds where addresses are known and no peers are, and so on", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* counts({ known: 5 }, [0, 10_999, 11_000, 11_500, 21_999, 22_000, 33_000]), [
        0,
        0,
        3,
        0,
        0,
        2,
        0
      ])
    }))

  it.effect("are asked after five minutes where a thousand addresses are known", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* counts({ known: 1_000 }, [0, 11_000, 299_999, 300_000]), [0, 0, 0, 3])
      assert.deepStrictEqual(yield* counts({ known: 999 }, [0, 11_000]), [0, 3])
    }))

  it.effect("are not asked any more once there are two peers", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* counts({ known: 5 }, [0, 11_000], 1), [0, 3])
      const { asked, said, state, tick } = yield* place({ known: 5 })
      state.outbound = 2
      yield* tick(0)
      yield* tick(11_000)
      state.outbound = 0
      yield* tick(100_000)
      assert.deepStrictEqual(asked, [])
      assert.deepStrictEqual(said, [
        "dnsseed thread start",
        "Fixed seeds are disabled",
        "Waiting 11 seconds before querying DNS seeds.",
        "P2P peers available. Skipped DNS seeding.",
        "dnsseed thread exit"
      ])
    }))

  it.effect("are not asked any more once peers come while five minutes are waited", () =>
    Effect.gen(function*() {
      const { asked, said, state, tick } = yield* place({ known: 1_000 })
      yield* tick(0)
      state.outbound = 2
      yield* tick(10_999)
      assert.strictEqual(said.at(-1), "Waiting 300 seconds before querying DNS seeds.")
      yield* tick(11_000)
      assert.deepStrictEqual(said.slice(-2), ["P2P peers available. Skipped DNS seeding.", "dnsseed thread exit"])
      assert.deepStrictEqual(asked, [])
    }))

  it.effect("are each said to be asked, and so is what came of it", () =>
    Effect.gen(function*() {
      const { said, tick } = yield* place({ names: ["a.example"], answers: () => 40 })
      yield* tick(0)
      assert.deepStrictEqual(said, [
        "dnsseed thread start",
        "Fixed seeds are disabled",
        "Loading addresses from DNS seed a.example",
        "32 addresses found from DNS seeds",
        "dnsseed thread exit"
      ])
    }))

  it.effect("are said to have been of use where peers come between two rounds", () =>
    Effect.gen(function*() {
      const { said, state, tick } = yield* place({ known: 5 })
      yield* tick(0)
      yield* tick(11_000)
      state.outbound = 2
      yield* tick(22_000)
      assert.deepStrictEqual(said.slice(-3), [
        "3 addresses found from DNS seeds",
        "P2P peers available. Finished DNS seeding.",
        "dnsseed thread exit"
      ])
    }))

  it.effect("are not waited for where none is left", () =>
    Effect.gen(function*() {
      const { said, tick } = yield* place({ known: 5, names: NAMES.slice(0, 3) })
      yield* tick(0)
      yield* tick(11_000)
      assert.deepStrictEqual(said.filter((text) => text.startsWith("Waiting")), [
        "Waiting 11 seconds before querying DNS seeds."
      ])
      assert.strictEqual(said.at(-1), "dnsseed thread exit")
    }))

  it.effect("are given up when the node stops", () =>
    Effect.gen(function*() {
      const { said } = yield* Effect.scoped(place({ known: 5 }))
      assert.strictEqual(said.at(-1), "dnsseed thread exit")
    }))

  it.effect("are not asked where nodes that an operator named have brought peers enough", () =>
    Effect.gen(function*() {
      const { asked, said, state, tick } = yield* place({ known: 5, nodes: ["a"] })
      state.outbound = 2
      yield* tick(0)
      assert.deepStrictEqual(said.slice(-2), [
        "Skipping DNS seeds. Enough peers have been found",
        "dnsseed thread exit"
      ])
      yield* tick(11_000)
      assert.deepStrictEqual(asked, [])
    }))

  it.effect("whose name is complete get no second dot", () =>
    Effect.gen(function*() {
      const { asked, tick } = yield* place({ names: ["a.invalid."], answers: () => 0 })
      yield* tick(0)
      assert.deepStrictEqual(asked, ["x9.a.invalid.", "a.invalid."])
    }))

  it.effect("are asked at once although addresses are known, where an operator forces that", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* counts({ known: 5, isForced: true }, [0, 11_000]), [5, 0])
      assert.deepStrictEqual(yield* counts({ known: 5, isForced: false }, [0]), [0])
    }))

  it.effect("give 32 addresses at most, seen three to seven days ago, with the services that were asked for", () =>
    Effect.gen(function*() {
      for (const [draw, age] of [["least", 3 * DAY], ["most", 7 * DAY - 1]] as const) {
        const { book, state, tick } = yield* place({ names: ["a.example"], answers: () => 40 })
        state.draw = draw
        yield* tick(0)
        assert.strictEqual(book.size(), 32)
        for (const { port, services, time } of book.table.list) {
          assert.deepStrictEqual([port, services, NOW - time], [8_333, 9n, age])
        }
      }
    }))

  it.effect("that do not filter by services are asked by their own name, and a node there for addresses", () =>
    Effect.gen(function*() {
      const { asked, book, fetched, said, tick } = yield* place({
        names: ["a.example"],
        answers: (name) => name.startsWith("x9.") ? 0 : 2
      })
      yield* tick(0)
      assert.deepStrictEqual(asked, ["x9.a.example.", "a.example."])
      assert.deepStrictEqual(fetched, ["20.2.0.1:8333"])
      assert.strictEqual(book.size(), 0)
      assert.include(said, "0 addresses found from DNS seeds")
    }))

  it.effect("are dialed by name where a proxy resolves names", () =>
    Effect.gen(function*() {
      const { asked, fetched, tick } = yield* place({ namesToProxy: true })
      yield* tick(0)
      assert.deepStrictEqual(asked, [])
      assert.sameMembers(fetched, NAMES.map((name) => `${name}:8333`))
    }))

  it.effect("are said to be disabled where there are none", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* place({ names: [], built: [] })).said, ["DNS seeding disabled"])
    }))
})

describe("addresses of the release", () => {
  const built = [endpoint("30.1.1.1:8333"), endpoint("31.1.1.1:8333"), endpoint("[2a01::1]:8333")]

  it.effect("are used after a minute in networks of which none is known, once, as seen one to two weeks ago", () =>
    Effect.gen(function*() {
      for (const [draw, age] of [["least", 7 * DAY], ["most", 14 * DAY - 1]] as const) {
        const { book, said, state, tick } = yield* place({ answers: () => 0, built, reachable: ["ipv4", "ipv6"] })
        state.draw = draw
        yield* tick(59_999)
        assert.strictEqual(book.size(), 0)
        yield* tick(60_000)
        assert.strictEqual(book.size(), 3)
        assert.deepStrictEqual(said.slice(-2), [
          "Adding fixed seeds as 60 seconds have passed and addrman is empty for at least one reachable network",
          "Added 3 fixed seeds from reachable networks."
        ])
        for (const { services, time } of book.table.list) assert.deepStrictEqual([services, NOW + 60 - time], [9n, age])
      }
    }))

  it.effect("are used at once where there is no DNS seed, and only of networks that are empty", () =>
    Effect.gen(function*() {
      const alone = yield* place({ names: [], built, known: 3, reachable: ["ipv4", "ipv6"], hasOtherSources: false })
      yield* alone.tick(0)
      assert.strictEqual(alone.book.size(), 4)
      assert.deepStrictEqual(alone.said.slice(-2), [
        "Adding fixed seeds as -dnsseed=0 (or IPv4/IPv6 connections are disabled via -onlynet) and neither -addnode " +
        "nor -seednode are provided",
        "Added 1 fixed seeds from reachable networks."
      ])
      const none = yield* place({ names: [], built, known: 3, hasOtherSources: false })
      yield* none.tick(0)
      assert.strictEqual(none.book.size(), 3)
    }))
})

describe("routes to networks", () => {
  it("are reported when one works for the first time, and when a proxy fails, each once until the other", () => {
    const observed: Array<unknown> = []
    const ways = routes({
      event: (type: string, payload: object) => void observed.push([type, payload]),
      log: () => undefined
    })
    const [direct, proxied] = [{ local: endpoint("1.1.1.1:1") }, { local: undefined }] as unknown as [
      Connection,
      Connection
    ]
    const at = endpoint("20.1.1.1:1")
    const failure = (isProxy: boolean) => new DialError({ message: "no", isProxy })
    ways.failed(at, failure(false))
    ways.reached(at, direct)
    ways.reached(at, direct)
    ways.failed(at, failure(true))
    ways.failed(at, failure(true))
    ways.reached(at, proxied)
    ways.reached({ ...at, address: { network: 0, bytes: new Uint8Array(0) } }, proxied)
    assert.deepStrictEqual(observed, [
      ["RouteDiscovered", { destination: "ipv4", path: [] }],
      ["RouteFailed", { destination: "ipv4", reason: "no" }],
      ["RouteDiscovered", { destination: "ipv4", path: ["proxy"] }],
      ["RouteDiscovered", { destination: "name", path: ["proxy"] }]
    ])
  })
})
