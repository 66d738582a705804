import { assert, describe, it } from "@effect/vitest"
import type { AddressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import { AddressNetwork } from "@lockstep/protocol/wire/address/network-address.ts"
import * as Effect from "effect/Effect"
import { CONNECTION_LIMITS } from "../../../src/p2p/connections/connection-limits.ts"
import { endpoint } from "../transport/transport-suite.ts"
import { caller, pass, type RobotOptions } from "./robot.ts"
import { testLayer, type TestLayer } from "./test-layer.ts"
import { unixSeconds } from "../../../src/quantities.ts"

/** Connects one after another from these places. */
const call = Effect.fnUntraced(function*(layer: TestLayer, places: ReadonlyArray<string>, options?: RobotOptions) {
  const callers = yield* Effect.forEach(places, (place) => caller(layer, endpoint(place), options))
  yield* pass(layer, 1_000)
  return callers
})

const places = (count: number, group: string): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, i) => `${group}.${i + 1}:1`)

const names = ({ service }: TestLayer) =>
  [...service.peers.values()].filter(({ inbound }) => inbound).map(({ name }) => name.replace(/:\d+$/, ""))

/** Refused connections as the log of Bitcoin Core has them. */
const dropped = ({ traced }: TestLayer): ReadonlyArray<string> =>
  traced.flatMap((each) => each._tag === "ConnectionDropped" ? [`${each.why} ${each.address.split(":")[0]}`] : [])

describe("connections that others open", () => {
  it.effect("are taken up to max_peers, without those that the node makes of itself", () =>
    Effect.gen(function*() {
      const layer = yield* testLayer({ maximum: 16 })
      yield* call(layer, places(5, "20.1.1"))
      assert.strictEqual(names(layer).length, 5)
      assert.isTrue([...layer.service.peers.values()].every(({ isReady }) => isReady))
      yield* call(layer, places(4, "21.1.1"))
      assert.isAtMost(names(layer).length, 5)
    }))

  it.effect("come from CJDNS where this machine has a way into that network", () =>
    Effect.gen(function*() {
      const kindsWith = Effect.fnUntraced(function*(...reachable: ReadonlyArray<AddressKind>) {
        const layer = yield* testLayer({ options: { reachable: new Set(reachable) } })
        yield* call(layer, ["[fc00::1]:1", "[fd00::1]:1"])
        return [...layer.service.peers.values()].map((peer) => peer.endpoint.address.network)
      })
      const { CJDNS, IPV6 } = AddressNetwork
      assert.sameMembers(yield* kindsWith("ipv6", "cjdns"), [CJDNS, IPV6])
      assert.deepStrictEqual(yield* kindsWith("ipv6"), [IPV6, IPV6])
    }))

  it.effect("may send what all honest nodes send, however low the limits are set", () =>
    Effect.gen(function*() {
      const limits = { messageLength: 1_000_000, addresses: 5, inventory: 5, headers: 5 }
      const layer = yield* testLayer({ options: { limits } })
      const [other] = yield* call(layer, ["20.1.1.1:1"])
      const inventory = Array.from({ length: 50_000 }, (_, i) => ({ type: 1, hash: new Uint8Array(32).fill(i) }))
      other!.links[0]!.say({ command: "inv", inventory })
      const addresses = Array.from(
        { length: 1_000 },
        (_, i) => ({ ...endpoint(`41.${i >> 8}.${i & 255}.1:8333`), services: 9n, time: 1_700_000_000 })
      )
      other!.links[0]!.say({ command: "addr", addresses })
      yield* pass(layer, 1_000)
      assert.strictEqual(other!.open().length, 1)
      other!.links[0]!.say({ command: "inv", inventory: [...inventory, inventory[0]!] })
      yield* pass(layer, 1_000)
      assert.strictEqual(other!.open().length, 0)
    }))

  it.effect("evicts the peer that never says anything first", () =>
    Effect.gen(function*() {
      const layer = yield* testLayer({ maximum: 16 })
      yield* call(layer, places(4, "20.1.1"))
      const [silent] = yield* call(layer, ["22.1.1.1:1"], { isSilent: true })
      yield* pass(layer, 6_000)
      yield* call(layer, ["23.1.1.1:1"])
      assert.sameMembers(names(layer), ["20.1.1.1", "20.1.1.2", "20.1.1.3", "20.1.1.4", "23.1.1.1"])
      assert.strictEqual(silent!.open().length, 0)
    }))

  it.effect(
    "a flood of connections that say nothing does not keep others out, nor push them out",
    () =>
      Effect.gen(function*() {
        const layer = yield* testLayer({ maximum: 31 })
        const flood = (from: number) =>
          call(layer, Array.from({ length: 60 }, (_, i) => `20.${from}.${i}.1:1`), { isSilent: true })
        yield* flood(1)
        const [honest] = yield* call(layer, ["99.1.1.1:1"])
        for (let i = 2; i < 8; i++) yield* flood(i)
        assert.include(names(layer), "99.1.1.1")
        assert.strictEqual(honest!.open().length, 1)
        assert.isAtMost(names(layer).length, 20)
      })
  )

  it.effect(
    "a flood of connections evicts only so many peers a second; the rest is refused, and no address is kept out for long",
    () =>
      Effect.gen(function*() {
        const layer = yield* testLayer({ maximum: 71 })
        yield* call(layer, places(60, "30.1.1"))
        yield* call(layer, Array.from({ length: 300 }, (_, i) => `31.1.${i >> 7}.${i & 127}:1`))
        // The clock may have begun a new second meanwhile.
        assert.isAtLeast(layer.connections.refused.full, 300 - 2 * 50)
        assert.strictEqual(dropped(layer).length, layer.connections.refused.full)
        assert.isTrue(dropped(layer).every((text) => text.startsWith("full 31.1.")))
        const [honest] = yield* call(layer, ["99.1.1.1:1"])
        assert.strictEqual(honest!.open().length, 1)
      })
  )

  it.effect("of many, one of the largest group is evicted for a new inbound peer", () =>
    Effect.gen(function*() {
      const layer = yield* testLayer({ maximum: 71 })
      yield* call(layer, Array.from({ length: 30 }, (_, i) => `${30 + i}.1.1.1:1`))
      yield* call(layer, places(30, "20.1.1"))
      assert.strictEqual(names(layer).length, 60)
      yield* call(layer, ["99.1.1.1:1"])
      const now = names(layer)
      assert.strictEqual(now.length, 60)
      assert.include(now, "99.1.1.1")
      assert.strictEqual(now.filter((name) => name.startsWith("20.1.1.")).length, 29)
    }))

  it.effect("those of the local network are one group, and not spared as those of this machine are", () =>
    Effect.gen(function*() {
      for (const [near, isSpared] of [["192.168.1", false], ["127.0.0", true]] as const) {
        const layer = yield* testLayer({ maximum: 71 })
        yield* call(layer, Array.from({ length: 56 }, (_, i) => `${30 + i}.1.1.1:1`))
        yield* call(layer, [`${near}.2:1`, isSpared ? `${near}.3:1` : "10.9.9.9:1", `${near}.4:1`, `${near}.5:1`])
        assert.strictEqual(names(layer).length, 60)
        yield* call(layer, ["99.1.1.1:1"])
        assert.strictEqual(names(layer).length, 60)
        const left = names(layer).filter((name) => name.startsWith(near) || name.startsWith("10."))
        assert.strictEqual(left.length, isSpared ? 4 : 3, near)
      }
    }))

  it.effect(
    "are refused of banned addresses, and of discouraged ones when there is little room",
    () =>
      Effect.gen(function*() {
        const layer = yield* testLayer({ maximum: 16 })
        const { reputation } = layer
        reputation.ban({
          subnet: { address: endpoint("20.1.1.0:1").address, bits: 24 },
          created: unixSeconds(0),
          until: unixSeconds(2_000_000_000)
        })
        reputation.discourage(endpoint("21.1.1.1:1").address, { _tag: "HeaderWithoutWork" })
        yield* call(layer, ["20.1.1.1:1", "21.1.1.1:1"])
        assert.deepStrictEqual(names(layer), ["21.1.1.1"])
        assert.strictEqual(layer.connections.refused.banned, 1)
        assert.deepStrictEqual(dropped(layer), ["banned 20.1.1.1"])
        const full = yield* testLayer({ maximum: 16 })
        full.reputation.discourage(endpoint("21.1.1.1:1").address, { _tag: "HeaderWithoutWork" })
        yield* call(full, places(4, "24.1.1"))
        yield* call(full, ["21.1.1.1:1"])
        assert.notInclude(names(full), "21.1.1.1")
        assert.strictEqual(full.connections.refused.discouraged, 1)
        assert.deepStrictEqual(dropped(full), ["discouraged 21.1.1.1"])
        assert.include(full.events.map(({ what }) => what), "PeerBanned")
      })
  )

  it.effect(
    "of whom the operator trusts are taken although they are banned, and neither make room nor are counted",
    () =>
      Effect.gen(function*() {
        const trusts = ({ bytes }: { readonly bytes: Uint8Array }): boolean => bytes[0] === 20
        const layer = yield* testLayer({ maximum: 71, options: { trusts } })
        layer.reputation.ban({
          subnet: { address: endpoint("20.1.1.1:1").address, bits: 32 },
          created: unixSeconds(0),
          until: unixSeconds(2_000_000_000)
        })
        layer.reputation.discourage(endpoint("20.1.1.2:1").address, { _tag: "HeaderWithoutWork" })
        yield* call(layer, [...Array.from({ length: 36 }, () => "20.1.1.1:1"), "20.1.1.2:1"])
        const trusted = (): number => names(layer).filter((name) => name.startsWith("20.")).length
        assert.strictEqual(trusted(), 37)
        // More than there is room for: others have to go, whatever group they are of.
        yield* call(layer, Array.from({ length: 40 }, (_, i) => `${30 + i}.1.1.1:1`), { isSilent: true })
        assert.strictEqual(trusted(), 37)
        assert.strictEqual(names(layer).length, 60)
        const [trustedOne] = [...layer.service.peers.values()]
        trustedOne!.discourage({ _tag: "HeaderWithoutWork" })
        yield* pass(layer, 1_000)
        assert.strictEqual(trusted(), 37)
      })
  )

  it.effect("of whom the operator trusts are never evicted, however worthless they look", () =>
    Effect.gen(function*() {
      const trusts = ({ bytes }: { readonly bytes: Uint8Array }): boolean => bytes[0] === 20
      const layer = yield* testLayer({ maximum: 71, options: { trusts } })
      yield* call(layer, Array.from({ length: 30 }, (_, i) => `${30 + i}.1.1.1:1`))
      // The youngest, and all of one group: of others one of these would make room first.
      yield* call(layer, places(30, "20.1.1"))
      assert.strictEqual(names(layer).length, 60)
      yield* call(layer, ["99.1.1.1:1"])
      const now = names(layer)
      assert.strictEqual(now.length, 60)
      assert.include(now, "99.1.1.1")
      assert.strictEqual(now.filter((name) => name.startsWith("20.1.1.")).length, 30)
    }))

  it.effect("of an address that misbehaved on another one end with it", () =>
    Effect.gen(function*() {
      const layer = yield* testLayer()
      yield* call(layer, ["20.1.1.1:1", "20.1.1.1:2", "20.1.1.2:1"])
      ;[...layer.service.peers.values()][0]!.discourage({ _tag: "HeaderWithoutWork" })
      yield* pass(layer, 1_000)
      assert.deepStrictEqual(names(layer), ["20.1.1.2"])
    }))

  it.effect("of one address are bounded, at a time and by the minute", () =>
    Effect.gen(function*() {
      const layer = yield* testLayer({ maximum: 300 })
      yield* call(layer, Array.from({ length: 50 }, () => "20.1.1.1:1"))
      assert.strictEqual(names(layer).length, 32)
      const often = yield* testLayer({ maximum: 300 })
      for (let i = 0; i < 8; i++) {
        for (const robot of yield* call(often, Array.from({ length: 10 }, () => "20.1.1.1:1"))) {
          robot.links[0]?.connection.close()
        }
        yield* pass(often, 100)
      }
      const taken = [...often.events].filter(({ what }) => what === "PeerConnected").length
      assert.isAtLeast(taken, 50)
      assert.isAtMost(taken, CONNECTION_LIMITS.inboundRate.most)
    }))

  it.effect("end when an operator bans the address, or switches the network off", () =>
    Effect.gen(function*() {
      const layer = yield* testLayer()
      const [banned, other] = yield* call(layer, ["20.1.1.1:1", "21.1.1.1:1"])
      layer.reputation.ban({
        subnet: { address: endpoint("20.1.1.1:1").address, bits: 32 },
        created: unixSeconds(0),
        until: unixSeconds(1_700_193_600)
      })
      yield* pass(layer, 1_000)
      assert.deepStrictEqual([banned!.open().length, other!.open().length], [0, 1])
      yield* pass(layer, 60_000)
      assert.strictEqual(layer.events.filter(({ what }) => what === "PeerUnbanned").length, 1)
      layer.connections.setActive(false)
      yield* pass(layer, 1_000)
      assert.strictEqual(layer.service.peers.size, 0)
      yield* call(layer, ["22.1.1.1:1"])
      assert.strictEqual(layer.service.peers.size, 0)
      assert.strictEqual(layer.connections.refused.inactive, 1)
      assert.deepStrictEqual(dropped(layer), [], "Bitcoin Core says nothing of these")
      layer.connections.setActive(true)
      yield* call(layer, ["22.1.1.1:1"])
      assert.strictEqual(layer.service.peers.size, 1)
    }))
})
