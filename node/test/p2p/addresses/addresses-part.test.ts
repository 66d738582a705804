import { assert, describe, it } from "@effect/vitest"
import { type AddressKind, addressKind, takenForCjdns } from "@lockstep/protocol/wire/address/address-kind.ts"
import { AddressNetwork } from "@lockstep/protocol/wire/address/network-address.ts"
import type { KnownAddress } from "@lockstep/protocol/wire/messages/addr.ts"
import * as Effect from "effect/Effect"
import { ADDRESS_LIMITS } from "../../../src/p2p/addresses/address-limits.ts"
import { connectTo, endpointOf, type ScriptedPeer, settle, usualVersion } from "../peer/scripted-peer.ts"
import { endpoint } from "../transport/transport-suite.ts"
import { addr, known, many, MINUTE, NOW, observed, place } from "./addresses-place.ts"

describe("addresses that come from peers", () => {
  it.effect(
    "CVE-2024-52919: one in ten seconds, a thousand at once, and a thousand more of whom we asked",
    () =>
      Effect.gen(function*() {
        const { figures, join, pass } = yield* place()
        const inbound = yield* join("inbound")
        inbound.say(addr(many(1_000)))
        yield* settle
        assert.deepStrictEqual(figures()[0], { isRelayed: true, processed: 1, limited: 999 })
        yield* pass(10 * MINUTE)
        inbound.say(addr(many(1_000)))
        yield* settle
        assert.strictEqual(figures()[0]!.processed, 61)
        for (let i = 0; i < 24; i++) {
          inbound.say({ command: "pong", nonce: inbound.last("ping").nonce! })
          yield* pass(10 * MINUTE)
        }
        inbound.say(addr(many(1_000)), addr(many(1_000)))
        yield* settle
        assert.strictEqual(figures()[0]!.processed, 61 + ADDRESS_LIMITS.intakeBurst.most)
      })
  )

  it.effect("a peer that was asked may answer with a thousand", () =>
    Effect.gen(function*() {
      const { book, figures, join } = yield* place()
      const peer = yield* join("outbound-full-relay")
      assert.strictEqual(peer.received.filter(({ command }) => command === "getaddr").length, 1)
      peer.say(addr(many(1_000)))
      yield* settle
      assert.deepStrictEqual(figures()[0], { isRelayed: true, processed: 1_000, limited: 0 })
      assert.isAtLeast(book.size(), 500)
    }))

  it.effect("peers for blocks alone are neither asked nor listened to, nor are feelers asked", () =>
    Effect.gen(function*() {
      const { book, figures, join } = yield* place()
      const peer = yield* join("block-relay-only")
      peer.say(addr([known("11.1.1.1:8333")]))
      yield* settle
      assert.isFalse(peer.commands().includes("getaddr"))
      assert.deepStrictEqual([book.size(), figures()[0]!.isRelayed], [0, false])
    }))

  it.effect("strange times count as old; useless, unroutable and unwelcome nodes are left out", () =>
    Effect.gen(function*() {
      const { book, join } = yield* place({ shunned: "15.1.1.1" })
      const peer = yield* join("outbound-full-relay")
      peer.say(addr([
        known("11.1.1.1:8333", NOW + 3_600),
        known("12.1.1.1:8333", 7),
        known("13.1.1.1:8333", NOW, 0n),
        known("127.0.0.1:8333"),
        known("15.1.1.1:8333"),
        known("16.1.1.1:8333")
      ]))
      yield* settle
      const times = Object.fromEntries(book.table.list.map(({ address, time }) => [address.bytes[0], NOW - time]))
      assert.deepStrictEqual(times, { 11: 5 * 86_400 + 7_200, 12: 5 * 86_400 + 7_200, 16: 7_200 })
    }))

  it.effect(
    "few fresh ones go on to two others, once; many, old ones or asked ones do not",
    () =>
      Effect.gen(function*() {
        const { join, pass } = yield* place()
        const from = yield* join("outbound-full-relay")
        const others: Array<ScriptedPeer> = []
        for (let i = 1; i <= 5; i++) {
          const other = yield* join("inbound", endpointOf(9, 9, 9, i))
          other.say({ command: "getaddr" })
          others.push(other)
        }
        const counted = Effect.gen(function*() {
          yield* pass(5 * MINUTE)
          return others.reduce((sum, other) => sum + observed(other), 0)
        })
        from.say(addr([known("11.1.1.1:8333")]))
        assert.strictEqual(yield* counted, 2 - 2, "an answer that we asked for goes nowhere")
        const first = known("12.1.1.1:8333", NOW + 200)
        from.say(addr([first]))
        assert.strictEqual(yield* counted, 2)
        from.say(addr([first]), addr([first]))
        assert.strictEqual(yield* counted, 2)
        from.say(addr([known("13.1.1.1:8333", NOW - 3_600)]))
        assert.strictEqual(yield* counted, 2)
      })
  )
})

describe("addresses at the edge of what is believed and passed on", () => {
  it.effect("a time up to 10 minutes ahead is believed, and one from 1973 or before counts as 5 days old", () =>
    Effect.gen(function*() {
      const { book, join } = yield* place()
      const peer = yield* join("outbound-full-relay")
      const times = [NOW + 600, NOW + 601, 100_000_000, 100_000_001]
      peer.say(addr(times.map((time, i) => known(`${11 + i}.1.1.1:8333`, time))))
      yield* settle
      const kept = new Map(book.table.list.map(({ address, time }) => [address.bytes[0], time as number]))
      assert.deepStrictEqual([11, 12, 13].map((first) => kept.get(first)), [
        NOW + 600 - 7_200,
        NOW - 5 * 86_400 - 7_200,
        NOW - 5 * 86_400 - 7_200
      ])
      assert.strictEqual(kept.get(14), 100_000_001 - 7_200)
    }))

  it.effect("nodes that serve blocks are kept, all of them or only the last ones", () =>
    Effect.gen(function*() {
      const { book, join } = yield* place()
      const peer = yield* join("outbound-full-relay")
      const services = [1n, 1n << 10n, 1n << 3n, 0n, 1n | (1n << 10n)]
      peer.say(addr(services.map((each, i) => known(`${11 + i}.1.1.1:8333`, NOW, each))))
      yield* settle
      assert.deepStrictEqual(book.table.list.map(({ address }) => address.bytes[0]!).toSorted((a, b) => a - b), [
        11,
        12,
        15
      ])
    }))

  /** How many of two listening peers are sent something of a message of one that connected to us. */
  const passedOn = Effect.fnUntraced(function*(addresses: ReadonlyArray<KnownAddress>) {
    const { join, pass } = yield* place()
    const from = yield* join("inbound")
    const others = [yield* join("inbound", endpointOf(9, 9, 9, 1)), yield* join("inbound", endpointOf(9, 9, 9, 2))]
    // So that they count as listening, and it as known to have more than one address to say.
    for (const each of [from, ...others]) each.say(addr([known("12.1.1.1:8333", NOW - 86_400)]))
    yield* pass(200_000)
    for (const each of [from, ...others]) each.news()
    const seconds = NOW + 200
    from.say(addr(addresses.map((address) => ({ ...address, time: address.time - NOW + seconds }))))
    yield* pass(300_000)
    return others.map(observed)
  })

  it.effect(
    "one younger than 10 minutes is passed on to two peers, one of 10 minutes to none",
    () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* passedOn([known("11.1.1.1:8333", NOW - 599)]), [1, 1])
        assert.deepStrictEqual(yield* passedOn([known("11.1.1.1:8333", NOW - 600)]), [0, 0])
      })
  )

  it.effect("those of a message of 10 are passed on, those of one of 11 are not", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* passedOn(many(10)), [1, 1])
      assert.deepStrictEqual(yield* passedOn(many(11)), [0, 0])
    }))

  it.effect("one of a network that is not reachable is passed on and not kept", () =>
    Effect.gen(function*() {
      const { book, join, pass } = yield* place()
      const from = yield* join("inbound")
      const other = yield* join("inbound", endpointOf(9, 9, 9, 1))
      other.say(addr([known("12.1.1.1:8333", NOW - 86_400)]))
      yield* settle
      const onion = { network: AddressNetwork.TORV3, bytes: new Uint8Array(32).fill(5) }
      from.say({ command: "addrv2", addresses: [{ address: onion, port: 8_333, services: 9n, time: NOW }] })
      yield* pass(300_000)
      assert.strictEqual(observed(other), 1)
      assert.isFalse(book.table.list.some(({ address }) => address.network === AddressNetwork.TORV3))
    }))
})

describe("addresses in CJDNS, fc00::/8", () => {
  const cjdns = takenForCjdns(endpoint("[fc12::1]:1").address)
  /** In CJDNS; in IPv6, where no node can be; and of CJDNS by name alone. */
  const said: ReadonlyArray<KnownAddress> = [
    { address: cjdns, port: 8_333, services: 9n, time: NOW },
    known("[fc12::2]:8333"),
    { address: { ...cjdns, bytes: endpoint("[2a00::1]:1").address.bytes }, port: 8_333, services: 9n, time: NOW }
  ]

  /** What is kept, and what others are sent: a peer that knows the new form, and one that does not. */
  const gossip = (reachable: ReadonlyArray<AddressKind>) =>
    Effect.gen(function*() {
      const { book, host, join, magic, pass } = yield* place({ reachable })
      const from = yield* join("outbound-full-relay")
      const other = yield* join("inbound", endpointOf(9, 9, 9, 1))
      const old = connectTo(host, magic, "inbound", endpointOf(9, 9, 9, 2))
      old.say(usualVersion, { command: "verack" })
      yield* settle
      // A peer that sends addresses gets some.
      for (const each of [other, old]) each.say(addr([known("12.1.1.1:8333", NOW - 86_400)]))
      // What answers our request is not relayed.
      from.say(addr(many(1)))
      yield* settle
      from.say({ command: "addrv2", addresses: said })
      yield* pass(300_000)
      const sentTo = (peer: ScriptedPeer) => {
        const [plain, newer] = (["addr", "addrv2"] as const).map((command) =>
          peer.commands().includes(command) ? peer.last(command).addresses : []
        )
        return [...plain!, ...newer!].map(({ address }) => address).filter(({ bytes }) => bytes[0] === 0xfc)
      }
      return {
        kept: book.table.list.map(({ address }) => address).filter((address) => addressKind(address) === "cjdns"),
        known: book.table.list.filter(({ address }) => address.bytes[0] === 0xfc).length,
        sent: sentTo(other),
        old: sentTo(old)
      }
    })

  it.effect("are kept as of that network where it is reached, and relayed to peers that know its form alone", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* gossip(["ipv4", "cjdns"]), { kept: [cjdns], known: 1, sent: [cjdns], old: [] })
    }))

  it.effect("are relayed and not kept where it is not", () =>
    Effect.gen(function*() {
      const { kept, known: count, old } = yield* gossip(["ipv4"])
      assert.deepStrictEqual([kept, count, old], [[], 0, []])
    }))
})
