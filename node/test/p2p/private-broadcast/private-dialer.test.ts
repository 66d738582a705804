import { assert, describe, it } from "@effect/vitest"
import type { AddressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import * as Effect from "effect/Effect"
import { type PrivateHappening, privateText } from "../../../src/runtime/private-happening.ts"
import { endpointKey } from "../../../src/net/endpoint-text.ts"
import type { KnownNode } from "../../../src/p2p/addresses/table/known-node.ts"
import { privateDemand } from "../../../src/p2p/private-broadcast/private-demand.ts"
import { privateDialer, type PrivateDialerOptions } from "../../../src/p2p/private-broadcast/private-dialer.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { DialError } from "../../../src/p2p/transport/transport.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { endpoint } from "../transport/transport-suite.ts"

const ONION = endpoint("pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion:8333")
const NODE = { ...ONION, key: endpointKey(ONION), services: 9n } as unknown as KnownNode
const NAME = "pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion:8333"

type Outcome = "hangs" | "opens" | DialError

/** A dialer that needs two connections, and whose addrman knows one node. */
const place = (outcome: Outcome, reachable: ReadonlyArray<AddressKind> = ["onion"]) =>
  Effect.gen(function*() {
    const clock = { now: 1_000_000 }
    const seen = { chosen: 0, dialed: 0, warned: 0 }
    const said: Array<string> = []
    const attempted: Array<readonly [string, boolean]> = []
    const demand = privateDemand()
    demand.add(2)
    const options = {
      context: {
        environment: { now: () => unixMilliseconds(clock.now), random: seededRandom(1) },
        notify: { event: () => undefined, log: (level: string) => void (seen.warned += level === "warn" ? 1 : 0) },
        peers: new Map()
      },
      host: { take: () => ({}) },
      transport: {
        dial: (_: unknown, accept: (connection: unknown) => unknown) =>
          Effect.suspend(() => {
            seen.dialed++
            if (outcome === "hangs") return Effect.never
            return outcome === "opens"
              ? Effect.sync(() => void accept({ remote: ONION, close: () => undefined }))
              : Effect.fail(outcome)
          })
      },
      demand,
      book: {
        choose: () => {
          seen.chosen++
          return NODE
        },
        attempted: (node: KnownNode, counts: boolean) => void attempted.push([node.key, counts])
      },
      reachable: new Set(reachable),
      reputation: { isBanned: () => false, discouraged: { has: () => false } },
      isActive: () => true,
      ownAddresses: () => [],
      say: (what: PrivateHappening) => void said.push(privateText(what))
    } as unknown as PrivateDialerOptions
    const { tickAll } = yield* privateDialer(options)
    const tick = (after: number) =>
      Effect.suspend(() => {
        clock.now += after
        tickAll!(unixMilliseconds(clock.now))
        return Effect.repeat(Effect.yieldNow, { times: 8 })
      })
    return { attempted, demand, said, seen, tick }
  })

describe("private connections", () => {
  it.effect("are one for each address: after 100 that are taken, others are looked for half a second later", () =>
    Effect.gen(function*() {
      const { said, seen, tick } = yield* place("hangs")
      yield* tick(0)
      assert.deepStrictEqual(seen, { chosen: 1, dialed: 1, warned: 0 })
      yield* tick(100)
      assert.deepStrictEqual(said, ["Connections needed but addrman keeps returning bad addresses, will retry"])
      assert.strictEqual(seen.chosen, 101)
      yield* tick(499)
      assert.strictEqual(seen.chosen, 101)
      yield* tick(1)
      assert.deepStrictEqual([seen.chosen, seen.dialed], [201, 1])
    }))

  it.effect("wait five seconds for a network to be reachable, which is said once", () =>
    Effect.gen(function*() {
      const { seen, tick } = yield* place("hangs", ["ipv4"])
      for (const after of [0, 4_999, 1]) yield* tick(after)
      assert.deepStrictEqual(seen, { chosen: 0, dialed: 0, warned: 1 })
    }))

  it.effect("are counted when they open", () =>
    Effect.gen(function*() {
      const { attempted, demand, said, tick } = yield* place("opens")
      yield* tick(0)
      assert.deepStrictEqual([demand.wanted(), attempted], [1, [[NODE.key, true]]])
      assert.deepStrictEqual(said, [`Socket connected to ${NAME}; remaining connections to open: 1`])
    }))

  it.effect("that fail are needed still; a failure of the proxy is not held against the address", () =>
    Effect.gen(function*() {
      for (const isProxy of [false, true]) {
        const { attempted, demand, said, tick } = yield* place(new DialError({ message: "refused", isProxy }))
        yield* tick(0)
        assert.deepStrictEqual([demand.wanted(), attempted.length], [2, isProxy ? 0 : 1])
        const then = "will retry to a different address; remaining connections to open: 2"
        assert.deepStrictEqual(said, [`Failed to connect to ${NAME}, ${then}`])
        demand.cancel(2)
        yield* tick(1_000)
        assert.lengthOf(said, 1)
      }
    }))
})
