import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { addressOfName } from "../../src/net/named-endpoint.ts"
import { parseSubnet } from "../../src/net/subnet.ts"
import type { ConnectionPlace } from "../../src/net/peer-permissions.ts"
import type { ChainState } from "../../src/engine/api/chain-state.ts"
import { addressBook } from "../../src/p2p/addresses/address-book.ts"
import type { P2pOptions } from "../../src/p2p/layer/p2p-options.ts"
import type { Peer } from "../../src/p2p/peer/peer.ts"
import { seededRandom } from "../../src/p2p/basics/seeded-random.ts"
import { unixMilliseconds, unixSeconds } from "../../src/quantities.ts"
import { caller, pass } from "./connections/robot.ts"
import { testLayer } from "./connections/test-layer.ts"
import { stillChain } from "./peer/still-chain.ts"
import { endpoint } from "./transport/transport-suite.ts"

const layerWith = (options: Partial<P2pOptions> = {}, state: Partial<ChainState> = {}) => {
  const chain = stillChain()
  chain.set(state)
  return testLayer({ chain, target: 0, options })
}

/** A layer with peers that connected from these places. */
const visited = Effect.fnUntraced(function*(places: ReadonlyArray<string>, options: Partial<P2pOptions> = {}) {
  const layer = yield* layerWith(options)
  const callers = yield* Effect.forEach(places, (place) => caller(layer, endpoint(place)))
  yield* pass(layer, 500)
  return { ...layer, callers, peers: [...layer.service.peers.values()].toSorted((a, b) => a.name < b.name ? -1 : 1) }
})

/** The ports that peers come from are the system's. */
const hostOf = ({ name }: Pick<Peer, "name">): string => name.split(":")[0]!

describe("the services of a node", () => {
  it.effect("are bits for what it has, relays and serves", () =>
    Effect.gen(function*() {
      const bits = (options: Partial<P2pOptions>, state: Partial<ChainState> = {}) =>
        Effect.map(layerWith(options, state), ({ service }) => service.services())
      assert.strictEqual(yield* bits({ dandelion: { meanEmbargo: 1_000, fluffProbability: 0.1 } }), 0x100_0409n)
      assert.strictEqual(yield* bits({ relaysPackages: true }), 0x200_0409n)
      assert.strictEqual(yield* bits({ relaysPackages: false }), 0x409n)
      const snapshot = { height: 5, hash: new Uint8Array(32) } as NonNullable<ChainState["snapshot"]>
      assert.strictEqual(yield* bits({}, { snapshot: { ...snapshot, background: undefined } }), 0x409n)
      const background = {} as NonNullable<NonNullable<ChainState["snapshot"]>["background"]>
      assert.strictEqual(yield* bits({}, { snapshot: { ...snapshot, background } }), 0x408n)
    }))
})

describe("addresses that enter addrman", () => {
  it.effect("are reported with the peer or the kind of server that sent them, until the node stops", () =>
    Effect.gen(function*() {
      const now = 1_700_193_573_000
      const book = addressBook({ now: () => unixMilliseconds(now), random: seededRandom(3) })
      const add = (place: string, source = endpoint("9.9.9.9:1").address) =>
        book.add([{ ...endpoint(place), services: 9n, time: now / 1_000 }], source)
      const { events, traced } = yield* Effect.scoped(Effect.gen(function*() {
        const layer = yield* layerWith({ saved: { book, bans: [], anchors: [] } })
        layer.traced.splice(0)
        add("31.1.1.1:8333")
        add("31.1.1.1:8333")
        add("32.1.1.1:8333", addressOfName("seed.example"))
        return { events: [...layer.events], traced: [...layer.traced] }
      }))
      assert.deepStrictEqual(events, [
        { what: "AddressDiscovered", about: { address: "31.1.1.1:8333", source: "9.9.9.9" } },
        { what: "AddressDiscovered", about: { address: "32.1.1.1:8333", source: "a name server" } }
      ])
      assert.deepStrictEqual(traced, [
        { _tag: "AddressFound", address: "31.1.1.1:8333" },
        { _tag: "AddressFound", address: "32.1.1.1:8333" }
      ])
      assert.strictEqual(book.table.observers.size, 0)
    }))

  it.effect("are reported again when they are forgotten", () =>
    Effect.gen(function*() {
      const { events, service: { book } } = yield* layerWith()
      book.add([{ ...endpoint("31.1.1.1:8333"), services: 9n, time: 1_700_193_573 }], endpoint("9.9.9.9:1").address)
      const [node] = book.table.list
      for (const observer of book.table.observers) observer.forgotten(node!)
      assert.deepStrictEqual(events.at(-1), { what: "AddressExpired", about: { address: "31.1.1.1:8333" } })
    }))
})

describe("a peer that misbehaves", () => {
  it.effect("is disconnected with all other connections from its address, and its address is discouraged", () =>
    Effect.gen(function*() {
      const { peers, reputation } = yield* visited(["20.1.1.1:1", "20.1.1.1:2", "20.1.1.2:1"])
      assert.deepStrictEqual(peers.map(hostOf), ["20.1.1.1", "20.1.1.1", "20.1.1.2"])
      peers[0]!.discourage({ _tag: "HeaderWithoutWork" })
      assert.deepStrictEqual(peers.map(({ isGone }) => isGone), [true, true, false])
      assert.isTrue(reputation.discouraged.has(endpoint("20.1.1.1:9").address))
      assert.isFalse(reputation.discouraged.has(endpoint("20.1.1.2:9").address))
    }))

  it.effect("does not end a connection that the operator asked for", () =>
    Effect.gen(function*() {
      const { peers } = yield* visited(["20.1.1.1:1", "20.1.1.1:2"])
      Object.defineProperty(peers[1]!, "kind", { value: "manual" })
      peers[0]!.discourage({ _tag: "HeaderWithoutWork" })
      assert.deepStrictEqual(peers.map(({ isGone }) => isGone), [true, false])
    }))
})

describe("a banned address", () => {
  const ban = { subnet: parseSubnet("20.1.0.0/16")!, created: unixSeconds(1), until: unixSeconds(2_000_000_000) }
  const cameFrom = Effect.fnUntraced(function*(options: Partial<P2pOptions>) {
    const layer = yield* layerWith(options)
    layer.reputation.ban(ban)
    yield* caller(layer, endpoint("20.1.1.1:1"))
    yield* caller(layer, endpoint("21.1.1.1:1"))
    yield* pass(layer, 500)
    return [...layer.service.peers.values()].map(hostOf)
  })

  it.effect("is refused, unless an operator trusts it or permits it that", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* cameFrom({}), ["21.1.1.1"])
      assert.sameMembers(yield* cameFrom({ trusts: ({ bytes }) => bytes[0] === 20 }), ["20.1.1.1", "21.1.1.1"])
      const asked: Array<ConnectionPlace> = []
      const permits: NonNullable<P2pOptions["permits"]> = (place) => {
        asked.push(place)
        return new Set(["noban"])
      }
      assert.sameMembers(yield* cameFrom({ permits }), ["20.1.1.1", "21.1.1.1"])
      assert.isTrue(asked.every(({ inbound }) => inbound))
      assert.deepStrictEqual(yield* cameFrom({ permits: () => new Set(["relay", "download"]) }), ["21.1.1.1"])
    }))

  it.effect("loses its connections when an operator asks for that", () =>
    Effect.gen(function*() {
      const { peers, service } = yield* visited(["20.1.1.1:1", "21.1.1.1:1"])
      service.disconnectBanned(ban.subnet)
      assert.deepStrictEqual(peers.map(hostOf), ["20.1.1.1", "21.1.1.1"])
      assert.deepStrictEqual(peers.map(({ isGone }) => isGone), [true, false])
    }))
})

describe("what servers read about a peer", () => {
  it.effect("comes from the parts: sync, relay, addresses and traffic", () =>
    Effect.gen(function*() {
      const { callers, peers: [peer], ...layer } = yield* visited(["20.1.1.1:1"])
      const { service } = layer
      const { figures, totals } = service
      assert.deepStrictEqual(figures.sync(peer!), {
        presyncedHeight: undefined,
        headersHeight: undefined,
        blocksHeight: undefined,
        inFlight: [],
        isHighBandwidth: false,
        choseUs: false,
        compactBlocks: { received: 0, withoutRequest: 0, withRequest: 0, failed: 0, announced: 0 }
      })
      assert.deepStrictEqual(figures.addresses(peer!), {
        isRelayed: false,
        processed: 0,
        limited: 0
      })
      assert.isTrue(figures.relay(peer!).isAnnouncedTo)
      const nothing = { cfilter: 0, cfheaders: 0, cfcheckpt: 0, merkleblock: 0 }
      assert.deepStrictEqual([figures.filters(peer!), service.filtersSent()], [nothing, nothing])
      assert.strictEqual(totals.received, peer!.traffic.bytesReceived)
      assert.strictEqual(totals.sent, peer!.traffic.bytesSent)
      assert.isAbove(totals.received, 100)
      const pings = () => callers[0]!.links[0]!.received.filter(({ command }) => command === "ping").length
      const before = pings()
      service.pingAll()
      yield* pass(layer, 1_000)
      assert.strictEqual(pings(), before + 1)
      assert.isTrue(service.sendPayload(peer!.id, "ping", new Uint8Array(8)))
      assert.isFalse(service.sendPayload(peer!.id + 1, "ping", new Uint8Array(8)))
    }))
})
