import { assert, describe, it } from "@effect/vitest"
import type { AddressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import { ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import * as Effect from "effect/Effect"
import { type PrivateHappening, privateText } from "../../../src/runtime/private-happening.ts"
import type { Endpoint } from "../../../src/net/endpoint.ts"
import { endpointKey, endpointText } from "../../../src/net/endpoint-text.ts"
import type { KnownNode } from "../../../src/p2p/addresses/table/known-node.ts"
import type { Attempt } from "../../../src/p2p/connections/dialer.ts"
import type { Peer, PeerKind } from "../../../src/p2p/peer/peer.ts"
import { privateDemand } from "../../../src/p2p/private-broadcast/private-demand.ts"
import { privateDialer, type PrivateDialerOptions } from "../../../src/p2p/private-broadcast/private-dialer.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { DialError } from "../../../src/p2p/transport/transport.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { scriptedPeer } from "../sync/chain-model.ts"
import { endpoint } from "../transport/transport-suite.ts"

const ONION = endpoint("pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion:8333")

const nodeAt = (at: Endpoint, services = 9n): KnownNode => ({ ...at, key: endpointKey(at), services }) as KnownNode
const internet = (last: number): Endpoint => endpoint(`20.0.0.${last}:8333`)

interface Connected {
  readonly endpoint: Endpoint
  readonly kind?: PeerKind
  readonly isGone?: boolean
  readonly isReady?: boolean
}

interface Place {
  readonly wanted?: number
  readonly peers?: ReadonlyArray<Connected>
  readonly own?: ReadonlyArray<Endpoint>
  readonly banned?: Endpoint
  readonly discouraged?: Endpoint
  /** What addrman names, one after another; the last one again and again. */
  readonly known?: ReadonlyArray<KnownNode | undefined>
  readonly reachable?: ReadonlyArray<AddressKind>
  readonly isEncrypting?: boolean
  readonly isTorProven?: boolean
  /** Whether dials fail at once. */
  readonly fails?: boolean
}

const place = (
  {
    banned,
    discouraged,
    fails = false,
    isEncrypting = false,
    isTorProven = false,
    known = [nodeAt(ONION)],
    own = [],
    peers = [],
    reachable = ["onion"],
    wanted = 1
  }: Place = {}
) =>
  Effect.gen(function*() {
    const clock = { now: 1_000_000 }
    const active = { is: true }
    const said: Array<string> = []
    const kinds: Array<string> = []
    const attempts: Array<string> = []
    const taken: Array<Attempt> = []
    const demand = privateDemand()
    demand.add(wanted)
    if (isTorProven) demand.proveTor()
    let at = 0
    const { tickAll } = yield* privateDialer({
      context: {
        environment: { now: () => unixMilliseconds(clock.now), random: seededRandom(1) },
        notify: { event: () => undefined, log: (level: string, text: string) => void said.push(`${level}: ${text}`) },
        peers: new Map<number, Peer>(peers.map(({ kind = "outbound-full-relay", ...more }, id) => [
          id,
          Object.assign(scriptedPeer(id, kind), more)
        ])),
        transportCrypto: isEncrypting ? {} : undefined
      },
      host: {
        take: (_: unknown, attempt: Attempt) => {
          taken.push(attempt)
          return {}
        }
      },
      transport: {
        dial: (target: Endpoint, accept: (connection: unknown) => unknown) =>
          Effect.suspend(() => {
            attempts.push(endpointText({ address: target.address, port: target.port }))
            accept({ remote: target, close: () => undefined })
            return fails ? Effect.fail(new DialError({ message: "refused", isProxy: false })) : Effect.never
          })
      },
      demand,
      book: {
        choose: (wish: { readonly kinds: ReadonlySet<AddressKind> }) => {
          kinds.push([...wish.kinds].join())
          return known[Math.min(at++, known.length - 1)]
        },
        attempted: () => undefined
      },
      reachable: new Set(reachable),
      reputation: {
        isBanned: (address: unknown) => address === banned?.address,
        discouraged: { has: (address: unknown) => address === discouraged?.address }
      },
      isActive: () => active.is,
      ownAddresses: () => own,
      say: (what: PrivateHappening) => void said.push(privateText(what))
    } as unknown as PrivateDialerOptions)
    const tick = (after = 1_000) =>
      Effect.suspend(() => {
        clock.now += after
        tickAll!(unixMilliseconds(clock.now))
        return Effect.repeat(Effect.yieldNow, { times: 8 })
      })
    return { active, attempts, demand, kinds, said, taken, tick }
  })

/** Where private connections go to after some ticks. */
const dialed = (given: Place, ticks = 1) =>
  Effect.gen(function*() {
    const { attempts, tick } = yield* place(given)
    for (let i = 0; i < ticks; i++) yield* tick()
    return attempts.length
  })

describe("a private connection is made", () => {
  it.effect("one with each tick, while more are wanted than are under way", () =>
    Effect.gen(function*() {
      const known = [1, 2, 3, 4].map((last) => nodeAt(internet(last)))
      assert.strictEqual(yield* dialed({ wanted: 0, known }, 2), 0)
      assert.strictEqual(yield* dialed({ wanted: 1, known }, 2), 1)
      assert.strictEqual(yield* dialed({ wanted: 3, known }, 2), 2)
      assert.strictEqual(yield* dialed({ wanted: 3, known }, 5), 3)
    }))

  it.effect("to no node that is connected, this one itself, banned or discouraged", () =>
    Effect.gen(function*() {
      for (
        const bad of [
          { peers: [{ endpoint: ONION }] },
          { own: [ONION] },
          { banned: ONION },
          { discouraged: ONION }
        ] satisfies ReadonlyArray<Place>
      ) assert.strictEqual(yield* dialed(bad), 0)
      assert.strictEqual(yield* dialed({ peers: [{ endpoint: ONION, isGone: true }] }), 1)
      assert.strictEqual(yield* dialed({ known: [undefined, nodeAt(ONION)] }), 1)
      assert.strictEqual(yield* dialed({ known: [undefined] }), 0)
    }))

  it.effect("as long as fewer than 64 are open", () =>
    Effect.gen(function*() {
      const open = (count: number, more: Partial<Connected> = {}) =>
        Array.from({ length: count }, (_, i): Connected => ({
          endpoint: internet(i + 1),
          kind: "private-broadcast",
          ...more
        }))
      assert.strictEqual(yield* dialed({ peers: open(63) }), 1)
      assert.strictEqual(yield* dialed({ peers: open(64) }), 0)
      assert.strictEqual(yield* dialed({ peers: open(64, { isGone: true }) }), 1)
      assert.strictEqual(yield* dialed({ peers: open(64, { kind: "inbound" }) }), 1)
      const known = [101, 102].map((last) => nodeAt(internet(last)))
      assert.strictEqual(yield* dialed({ peers: open(63), known, wanted: 2 }, 2), 1, "what is under way counts too")
    }))

  it.effect("while the network is switched on", () =>
    Effect.gen(function*() {
      const { active, attempts, tick } = yield* place()
      active.is = false
      yield* tick()
      assert.lengthOf(attempts, 0)
      active.is = true
      yield* tick()
      assert.lengthOf(attempts, 1)
    }))

  it.effect("as one for private broadcasts, encrypted where both sides can", () =>
    Effect.gen(function*() {
      const begins = (isEncrypting: boolean, services: bigint) =>
        Effect.gen(function*() {
          const { taken, tick } = yield* place({ isEncrypting, known: [nodeAt(ONION, services)] })
          yield* tick()
          assert.strictEqual(taken[0]!.kind, "private-broadcast")
          return taken[0]!.isV2
        })
      assert.isTrue(yield* begins(true, ServiceFlag.P2P_V2 | 9n))
      assert.isFalse(yield* begins(true, 9n))
      assert.isFalse(yield* begins(false, ServiceFlag.P2P_V2 | 9n))
    }))

  it.effect("is not asked for once more when it fails and none is needed any more", () =>
    Effect.gen(function*() {
      const { attempts, demand, said, tick } = yield* place({ fails: true })
      yield* tick()
      demand.cancel(1)
      assert.lengthOf(attempts, 1)
      const text = endpointText(ONION)
      assert.include(
        said,
        `Failed to connect to ${text}, will retry to a different address; remaining connections to open: 1`
      )
      yield* tick()
      assert.lengthOf(attempts, 1)
    }))
})

describe("the proxy is one of Tor", () => {
  it.effect("once an onion service was reached that this node dialed", () =>
    Effect.gen(function*() {
      const proves = (peer: Connected) =>
        Effect.gen(function*() {
          const { demand, tick } = yield* place({ peers: [{ isReady: true, ...peer }], wanted: 0 })
          yield* tick()
          return demand.isTorProven()
        })
      assert.isTrue(yield* proves({ endpoint: ONION }))
      assert.isFalse(yield* proves({ endpoint: ONION, kind: "inbound" }))
      assert.isFalse(yield* proves({ endpoint: ONION, isReady: false }))
      assert.isFalse(yield* proves({ endpoint: internet(1) }))
    }))

  it.effect("which lets nodes of the internet be dialed through it", () =>
    Effect.gen(function*() {
      const kindsOf = (isTorProven: boolean) =>
        Effect.gen(function*() {
          const { kinds, tick } = yield* place({ isTorProven, known: [undefined], reachable: ["onion", "ipv4"] })
          yield* tick()
          return [...new Set(kinds)].sort()
        })
      assert.deepStrictEqual(yield* kindsOf(false), ["onion"])
      assert.deepStrictEqual(yield* kindsOf(true), ["ipv4", "onion"])
    }))
})

describe("without a way", () => {
  it.effect("nothing is dialed, which is said once", () =>
    Effect.gen(function*() {
      const { said, tick } = yield* place({ reachable: ["ipv4"] })
      yield* tick()
      yield* tick(5_000)
      yield* tick(5_000)
      assert.deepStrictEqual(said, ["warn: own transactions wait: neither Tor nor I2P is reachable"])
    }))
})
