import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { coreTexts } from "../../bitcoind/core-texts.ts"
import type { TraceEvent } from "../../../src/runtime/trace.ts"
import { endpointText } from "../../../src/net/endpoint-text.ts"
import { addressBook } from "../../../src/p2p/addresses/address-book.ts"
import { makeSeedNodes } from "../../../src/p2p/connections/seed-nodes.ts"
import type { P2pContext } from "../../../src/p2p/peer/p2p-context.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { endpoint } from "../transport/transport-suite.ts"

const START = 1_700_193_600_000

const TRYING = "-seednode enabled. Trying the provided seeds for 30 seconds before defaulting to the dnsseeds."

interface Options {
  /** How many addresses are known at the start. */
  readonly known?: number
  readonly hasDnsSeeds?: boolean
  readonly nodes?: ReadonlyArray<string>
}

/** Seed nodes with a clock of the test's; the first that is left is drawn. */
const place = Effect.fnUntraced(function*({ hasDnsSeeds = true, known = 0, nodes = ["25.0.0.1"] }: Options = {}) {
  const state = { outbound: 0, passed: 0 }
  const fetched: Array<string> = []
  const said: Array<string> = []
  const now = () => unixMilliseconds(START + state.passed)
  const book = addressBook({ now, random: seededRandom(4) })
  for (let i = 0; book.size() < known; i++) {
    book.add(
      [{ ...endpoint(`${100 + i}.1.1.1:8333`), services: 9n, time: START / 1_000 }],
      endpoint("1.1.1.1:1").address
    )
  }
  const context = {
    chain: { state: () => ({ mockTime: 0 }) },
    environment: { now, random: { ...seededRandom(1), below: () => 0 } },
    notify: { trace: (happening: TraceEvent) => void said.push(...coreTexts(happening)) }
  }
  const seedNodes = yield* makeSeedNodes({
    context: context as unknown as P2pContext,
    book,
    nodes,
    hasDnsSeeds,
    find: (text) => Effect.succeed([endpoint(`${text}:8333`)]),
    outboundCount: () => state.outbound,
    fetchFrom: (at) => void fetched.push(endpointText(at))
  })
  /** Lines of one turn, so many milliseconds after the start. */
  const tick = (after: number) =>
    Effect.promise(async () => {
      said.length = 0
      state.passed = after
      seedNodes.tick()
      await new Promise((resolve) => setImmediate(resolve))
      return [...said]
    })
  return { ...seedNodes, fetched, first: [...said], state, tick }
})

describe("seed nodes", () => {
  it.effect("are asked at once where no address is known", () =>
    Effect.gen(function*() {
      const { areTried, fetched, first, tick } = yield* place()
      assert.deepStrictEqual(first, [TRYING])
      assert.deepStrictEqual(yield* tick(0), ["Empty addrman, adding seednode (25.0.0.1) to addrfetch"])
      assert.deepStrictEqual(fetched, ["25.0.0.1:8333"])
      assert.isTrue(areTried())
    }))

  it.effect("are asked one after the other, each after ten seconds, where addresses are known that bring no peer", () =>
    Effect.gen(function*() {
      const { fetched, tick } = yield* place({ known: 3, nodes: ["25.0.0.1", "25.0.0.2"] })
      const line = (node: string) =>
        `Couldn't connect to peers from addrman after 10 seconds. Adding seednode (${node}) to addrfetch`
      assert.deepStrictEqual(yield* tick(0), [])
      assert.deepStrictEqual(yield* tick(10_000), [])
      assert.deepStrictEqual(yield* tick(10_001), [line("25.0.0.1")])
      assert.deepStrictEqual(yield* tick(20_001), [])
      assert.deepStrictEqual(yield* tick(20_002), [line("25.0.0.2")])
      assert.deepStrictEqual(fetched, ["25.0.0.1:8333", "25.0.0.2:8333"])
    }))

  it.effect("give way to DNS seeds after half a minute, or once there are peers", () =>
    Effect.gen(function*() {
      const late = yield* place()
      yield* late.tick(0)
      yield* late.tick(30_000)
      assert.isTrue(late.areTried())
      assert.deepStrictEqual(yield* late.tick(30_001), [
        "Couldn't connect to enough peers via seed nodes. Handing fetch logic to the DNS seeds."
      ])
      assert.isFalse(late.areTried())
      assert.deepStrictEqual(yield* late.tick(60_000), [])

      const soon = yield* place()
      yield* soon.tick(0)
      soon.state.outbound = 2
      assert.deepStrictEqual(yield* soon.tick(500), [
        "P2P peers available. Finished fetching data from seed nodes."
      ])
      assert.isFalse(soon.areTried())
    }))

  it.effect("hold nothing up where no DNS seed is asked, or where there are none of them", () =>
    Effect.gen(function*() {
      const alone = yield* place({ hasDnsSeeds: false })
      assert.deepStrictEqual([alone.first, alone.areTried()], [[], false])
      assert.deepStrictEqual(yield* alone.tick(0), ["Empty addrman, adding seednode (25.0.0.1) to addrfetch"])
      assert.deepStrictEqual(yield* alone.tick(40_000), [])
      const none = yield* place({ nodes: [] })
      assert.deepStrictEqual([none.first, none.areTried(), yield* none.tick(0)], [[], false, []])
    }))
})
