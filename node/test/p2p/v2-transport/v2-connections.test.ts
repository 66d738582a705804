import { assert, describe, it } from "@effect/vitest"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import { DEFAULT_LIMITS } from "@lockstep/protocol/wire/limits.ts"
import { v2Transport } from "@lockstep/protocol/wire/v2-transport/v2-transport.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { testCrypto } from "../../engine/test-engine.ts"
import type { Endpoint } from "../../../src/net/endpoint.ts"
import type { Peer } from "../../../src/p2p/peer/peer.ts"
import type { Accept } from "../../../src/p2p/transport/transport.ts"
import { unixSeconds } from "../../../src/quantities.ts"
import { pass } from "../connections/robot.ts"
import { NODE, testLayer, type TestLayer } from "../connections/test-layer.ts"
import { heldBytes } from "../simulation/heap.ts"
import { endpoint } from "../transport/transport-suite.ts"
import { acceptRaw, until } from "./raw-socket.ts"
import { hexOf } from "./transcripts.ts"
import { testTransportCrypto } from "./transport-crypto.ts"
import { socketNode } from "./socket-node.ts"

const addressOf = ({ service }: TestLayer): string => `127.0.0.1:${service.listening[0]!.port}`

const peersOf = ({ service }: TestLayer): ReadonlyArray<Peer> =>
  [...service.peers.values()].filter(({ isGone }) => !isGone)

const areReady = (...layers: ReadonlyArray<TestLayer>): boolean =>
  layers.every((layer) => peersOf(layer).length === 1 && peersOf(layer)[0]!.isReady)

const kindsOf = (...layers: ReadonlyArray<TestLayer>): ReadonlyArray<string> =>
  layers.map((layer) => peersOf(layer)[0]!.transport.kind())

const linesAbout = ({ lines }: TestLayer, what: string) => lines.filter((line) => line.what.includes(what))

describe("two nodes on sockets", () => {
  it.live("speak v2 when both can, know the connection by the same session, and offer the service", () =>
    Effect.gen(function*() {
      const [one, other] = [yield* socketNode(true), yield* socketNode(true)]
      one.service.connections.manual.once(addressOf(other))
      yield* Effect.promise(() => until("both are ready", () => areReady(one, other)))
      assert.deepStrictEqual(kindsOf(one, other), ["v2", "v2"])
      const [mine, theirs] = [peersOf(one)[0]!, peersOf(other)[0]!]
      assert.strictEqual(hexOf(mine.transport.sessionId()!), hexOf(theirs.transport.sessionId()!))
      assert.strictEqual(mine.transport.sessionId()!.length, 32)
      assert.strictEqual(mine.hello!.services & ServiceFlag.P2P_V2, ServiceFlag.P2P_V2)
      const { traffic } = mine
      const counted = [...traffic.sentPerCommand.values()].reduce((sum, bytes) => sum + bytes, 0)
      // Key, terminator and version packet count, but for no message; garbage is of any length.
      assert.isAtLeast(traffic.bytesSent - counted, 64 + 16 + 20)
      assert.strictEqual(traffic.sentPerCommand.get("verack"), 13 + 20)
      assert.strictEqual(theirs.traffic.receivedPerCommand.get("verack"), 13 + 20)
    }))

  it.live("speak v1 when the one that connects can do nothing else", () =>
    Effect.gen(function*() {
      const [one, other] = [yield* socketNode(false), yield* socketNode(true)]
      one.service.connections.manual.once(addressOf(other))
      yield* Effect.promise(() => until("both are ready", () => areReady(one, other)))
      assert.deepStrictEqual(kindsOf(one, other), ["v1", "v1"])
      assert.isUndefined(peersOf(other)[0]!.transport.sessionId())
    }))

  it.live("speak v1 after a second connection when the other can do nothing else", () =>
    Effect.gen(function*() {
      const [one, other] = [yield* socketNode(true), yield* socketNode(false)]
      assert.isUndefined(one.service.connections.manual.add(addressOf(other)))
      yield* Effect.promise(() => until("both are ready", () => areReady(one, other)))
      assert.deepStrictEqual(kindsOf(one, other), ["v1", "v1"])
      assert.deepStrictEqual(linesAbout(one, "retrying with the v1 transport").length, 1)
      assert.deepStrictEqual(linesAbout(one, "warn: "), [], "it was never out of reach")
      assert.strictEqual(peersOf(one)[0]!.kind, "manual")
      assert.strictEqual(peersOf(one)[0]!.writtenAs, addressOf(other))
    }))

  it.live("speak what a test names for one connection of a kind, and v1 where the other can do nothing else", () =>
    Effect.gen(function*() {
      for (
        const [isV2, otherHasV2, kind] of [[true, true, "v2"], [false, true, "v1"], [true, false, "v1"]] as const
      ) {
        const [one, other] = [yield* socketNode(true), yield* socketNode(otherHasV2)]
        assert.isTrue(yield* one.service.connections.connectAs(addressOf(other), "addr-fetch", isV2))
        yield* Effect.promise(() => until("both are ready", () => areReady(one, other)))
        assert.deepStrictEqual(kindsOf(one, other), [kind, kind])
        assert.strictEqual(peersOf(one)[0]!.kind, "addr-fetch")
      }
    }))

  it.live("speak v1 when the operator says so", () =>
    Effect.gen(function*() {
      const [one, other] = [yield* socketNode(true), yield* socketNode(true)]
      one.service.connections.manual.add(addressOf(other), false)
      yield* Effect.promise(() => until("both are ready", () => areReady(one, other)))
      assert.deepStrictEqual(kindsOf(one, other), ["v1", "v1"])
    }))
})

describe("a node that was offered v2 and ends the connection", () => {
  it.live("is not tried with v1 once it has sent a byte", () =>
    Effect.gen(function*() {
      const one = yield* socketNode(true)
      const server = yield* Effect.promise(acceptRaw)
      one.service.connections.manual.once(`127.0.0.1:${server.port}`)
      yield* Effect.promise(() => until("its key", () => (server.accepted[0]?.received().length ?? 0) >= 64))
      server.accepted[0]!.send(Uint8Array.of(1))
      yield* Effect.promise(() => until("the byte is there", () => (peersOf(one)[0]?.traffic.bytesReceived ?? 0) > 0))
      server.accepted[0]!.close()
      yield* Effect.promise(() => until("it has noticed", () => one.service.peers.size === 0))
      yield* Effect.sleep(700)
      assert.deepStrictEqual([server.accepted.length, linesAbout(one, "retrying").length], [1, 0])
      server.close()
    }))

  it.live("is tried with v1 when what it sends at once is a version message of v1", () =>
    Effect.gen(function*() {
      const one = yield* socketNode(true)
      const server = yield* Effect.promise(acceptRaw)
      one.service.connections.manual.once(`127.0.0.1:${server.port}`)
      yield* Effect.promise(() => until("its key", () => (server.accepted[0]?.received().length ?? 0) >= 64))
      server.accepted[0]!.send(Uint8Array.of(...REGTEST.magic, ...Buffer.from("version\0\0\0\0\0")))
      yield* Effect.promise(() => until("a second connection", () => server.accepted.length === 2))
      yield* Effect.promise(() => until("its version", () => (server.accepted[1]?.received().length ?? 0) >= 24))
      assert.deepStrictEqual([...server.accepted[1]!.received().subarray(0, 4)], [...REGTEST.magic])
      server.close()
    }))

  it.live("is tried with v1 the next time when it is a node to stay connected to and the handshake failed", () =>
    Effect.gen(function*() {
      const one = yield* socketNode(true)
      const server = yield* Effect.promise(acceptRaw)
      one.service.connections.manual.add(`127.0.0.1:${server.port}`)
      yield* Effect.promise(() => until("its key", () => (server.accepted[0]?.received().length ?? 0) >= 64))
      server.accepted[0]!.send(Uint8Array.of(1))
      yield* Effect.promise(() => until("the byte is there", () => (peersOf(one)[0]?.traffic.bytesReceived ?? 0) > 0))
      server.accepted[0]!.close()
      yield* Effect.promise(() => until("its version", () => (server.accepted[1]?.received().length ?? 0) >= 24))
      assert.deepStrictEqual([...server.accepted[1]!.received().subarray(0, 4)], [...REGTEST.magic])
      one.service.connections.manual.remove(`127.0.0.1:${server.port}`)
      server.close()
    }))

  it.live("is not tried with v1 when the network has been switched off", () =>
    Effect.gen(function*() {
      const one = yield* socketNode(true)
      const server = yield* Effect.promise(acceptRaw)
      one.service.connections.manual.once(`127.0.0.1:${server.port}`)
      yield* Effect.promise(() => until("its key", () => (server.accepted[0]?.received().length ?? 0) >= 64))
      one.service.connections.setActive(false)
      yield* Effect.promise(() => until("it has noticed", () => one.service.peers.size === 0))
      one.service.connections.setActive(true)
      yield* Effect.sleep(700)
      assert.strictEqual(server.accepted.length, 1)
      server.close()
    }))
})

/** Listens in the world of a layer, and says nothing; answers what each connection has sent so far. */
const mute = (layer: TestLayer, at: Endpoint) => {
  const received: Array<Array<number>> = []
  const accept: Accept = () => {
    const own: Array<number> = []
    received.push(own)
    return { received: (bytes) => void own.push(...bytes), drained: () => undefined, closed: () => undefined }
  }
  return Effect.as(layer.world.transport(at.address).listen(at, accept), received)
}

const startsPlain = (received: ReadonlyArray<number>): boolean =>
  hexOf(Uint8Array.from(received.slice(0, 4))) === "fabfb5da"

describe("an automatic connection", () => {
  const dialed = (services: bigint, isV2: boolean) =>
    Effect.gen(function*() {
      const layer = yield* testLayer({
        maximum: 20,
        target: 1,
        options: { transportCrypto: isV2 ? testTransportCrypto : undefined }
      })
      const at = endpoint("20.1.1.1:18444")
      const received = yield* mute(layer, at)
      const known = { ...at, services, time: unixSeconds(1_700_193_000) }
      layer.service.book.add([known], at.address)
      yield* pass(layer, 3_000)
      return { layer, received }
    })
  const PLAIN = ServiceFlag.NETWORK | ServiceFlag.WITNESS

  it.effect("begins with v2 where addrman says that the node speaks it, and this node does", () =>
    Effect.gen(function*() {
      for (
        const [services, isV2, isPlain] of [
          [PLAIN, true, true],
          [PLAIN | ServiceFlag.P2P_V2, true, false],
          [PLAIN | ServiceFlag.P2P_V2, false, true]
        ] as const
      ) {
        const { received } = yield* dialed(services, isV2)
        assert.strictEqual(received.length, 1)
        assert.strictEqual(startsPlain(received[0]!), isPlain)
      }
    }))

  it.effect("to an address that is banned meanwhile is not made again", () =>
    Effect.gen(function*() {
      const { received, layer } = yield* dialed(PLAIN | ServiceFlag.P2P_V2, true)
      const subnet = { address: endpoint("20.1.1.1:1").address, bits: 32 }
      layer.reputation.ban({ subnet, created: unixSeconds(1_700_193_576), until: unixSeconds(1_700_290_000) })
      yield* pass(layer, 5_000)
      assert.deepStrictEqual([received.length, peersOf(layer).length], [1, 0])
    }))

  it.effect("without an answer ends after a minute, and is made again with v1 in the same slot", () =>
    Effect.gen(function*() {
      const { received, layer } = yield* dialed(PLAIN | ServiceFlag.P2P_V2, true)
      yield* pass(layer, 55_000, 500)
      assert.strictEqual(received.length, 1)
      yield* pass(layer, 7_000, 500)
      assert.deepStrictEqual(received.map(startsPlain), [false, true])
      assert.deepStrictEqual(peersOf(layer).map(({ kind }) => kind), ["outbound-full-relay"])
      const ended = linesAbout(layer, "a connection has ended").map(({ about }) => about["reason"])
      assert.deepStrictEqual(ended, ["socket no message in first 60 seconds, never received from peer"])
    }))
})

describe("half-open v2 handshakes", () => {
  /** A key and the longest garbage; what ends it never comes. */
  const unfinished = new Uint8Array(64 + 4_095).fill(1)

  const connecting = (layer: TestLayer, from: Endpoint, bytes: Uint8Array) =>
    Effect.forkDetach(Effect.ignore(
      layer.world.transport(from.address).dial(NODE, (connection) => {
        connection.send(bytes)
        return { received: () => undefined, drained: () => undefined, closed: () => undefined }
      })
    ))

  it.effect("end after a minute, wherever they stopped", () =>
    Effect.gen(function*() {
      const layer = yield* testLayer({ target: 0, options: { transportCrypto: testTransportCrypto } })
      for (const [i, length] of [1, 63, 64, 4_000].entries()) {
        yield* connecting(layer, endpoint(`30.${i}.1.1:7`), new Uint8Array(length).fill(1))
      }
      yield* pass(layer, 2_000)
      assert.deepStrictEqual(peersOf(layer).map(({ transport }) => transport.kind()), Array(4).fill("detecting"))
      yield* pass(layer, 57_000, 500)
      assert.strictEqual(peersOf(layer).length, 4)
      yield* pass(layer, 2_000)
      assert.strictEqual(peersOf(layer).length, 0)
      const ended = linesAbout(layer, "a connection has ended").map(({ about }) => about["reason"])
      assert.include(ended, "V2 handshake timeout")
    }))

  it.effect("a thousand with keys and garbage are there at once, and all end after a minute", () =>
    Effect.gen(function*() {
      const count = 1_000
      const layer = yield* testLayer({ maximum: 1_100, target: 0, options: { transportCrypto: testTransportCrypto } })
      for (let i = 0; i < count; i++) yield* connecting(layer, endpoint(`30.${i >> 8}.${i & 255}.1:7`), unfinished)
      yield* pass(layer, 10_000, 5_000)
      assert.strictEqual(peersOf(layer).length, count)
      yield* pass(layer, 45_000, 15_000)
      assert.strictEqual(peersOf(layer).length, count)
      yield* pass(layer, 15_000, 5_000)
      assert.strictEqual(peersOf(layer).length, 0)
    }))

  it("a thousand hold less than 10 MB", () => {
    const magic = REGTEST.magic
    const make = () => {
      const transport = v2Transport({
        magic,
        crypto: testCrypto,
        limits: DEFAULT_LIMITS,
        transportCrypto: testTransportCrypto,
        random: { below: () => 7, bytes: (length) => new Uint8Array(length).fill(7) },
        isInitiator: false,
        output: { bytes: () => undefined, message: () => undefined }
      })
      transport.begin()
      transport.feed(unfinished)
      assert.isUndefined(Result.getOrThrow(transport.read()))
      return transport
    }
    // What is compiled on the way belongs to no connection.
    for (let i = 0; i < 1_000; i++) make()
    const before = heldBytes()
    const all = Array.from({ length: 1_000 }, make)
    assert.isBelow(heldBytes() - before, 10_000_000)
    assert.isTrue(all.every((transport) => transport.kind() === "detecting"))
  })

  it.effect("make room for others while all slots are taken", () =>
    Effect.gen(function*() {
      const layer = yield* testLayer({ maximum: 8, target: 0, options: { transportCrypto: testTransportCrypto } })
      for (let i = 0; i < 30; i++) {
        yield* connecting(layer, endpoint(`31.${i}.1.1:7`), new Uint8Array(64).fill(i + 1))
        yield* pass(layer, 100)
      }
      assert.isAtMost(peersOf(layer).length, 8)
      const ended = linesAbout(layer, "a connection has ended").map(({ about }) => about["reason"])
      assert.isAtLeast(ended.filter((reason) => reason === "evicted before the handshake").length, 20)
    }))
})
