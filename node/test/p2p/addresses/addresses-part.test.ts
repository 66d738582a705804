import { assert, describe, it } from "@effect/vitest"
import { type AddressKind, addressKind, takenForCjdns } from "@lockstep/protocol/wire/address/address-kind.ts"
import { AddressNetwork } from "@lockstep/protocol/wire/address/network-address.ts"
import type { Message } from "@lockstep/protocol/wire/codecs.ts"
import type { KnownAddress } from "@lockstep/protocol/wire/messages/addr.ts"
import * as Effect from "effect/Effect"
import { addressBook } from "../../../src/p2p/addresses/address-book.ts"
import { ADDRESS_LIMITS } from "../../../src/p2p/addresses/address-limits.ts"
import { type AddressesPart, addressesPart } from "../../../src/p2p/addresses/addresses-part.ts"
import type { PeerKind } from "../../../src/p2p/peer/peer.ts"
import type { Endpoint } from "../../../src/net/endpoint.ts"
import { seededRandom } from "../../../src/p2p/seeded-random.ts"
import { connectTo, endpointOf, type ScriptedPeer, settle, shakeHands, usualVersion } from "../peer/scripted-peer.ts"
import { stillChain } from "../peer/still-chain.ts"
import { testHost } from "../peer/test-host.ts"
import { endpoint } from "../transport/transport-suite.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"

const START = 1_700_193_573_000
const NOW = START / 1_000
const MINUTE = 60_000

interface PlaceOptions {
  readonly own?: Endpoint
  readonly shunned?: string
  readonly reachable?: ReadonlyArray<AddressKind>
}

const place = (options: PlaceOptions = {}) =>
  Effect.gen(function*() {
    const clock = { now: START }
    const chain = stillChain()
    const book = addressBook({ now: () => unixMilliseconds(clock.now), random: seededRandom(5) })
    let part: AddressesPart | undefined
    const host = yield* testHost({
      chain,
      start: START,
      parts: (context) => {
        part = addressesPart({
          context,
          book,
          reachable: new Set<AddressKind>(options.reachable ?? ["ipv4", "ipv6"]),
          isShunned: ({ bytes }) => bytes.join(".") === options.shunned,
          own: () => options.own
        })
        return Effect.succeed([part])
      }
    })
    const pass = (milliseconds: number): Effect.Effect<void> => {
      host.pass(milliseconds)
      clock.now = host.clock.now
      return settle
    }
    const join = Effect.fnUntraced(function*(kind: PeerKind, at: Endpoint = endpointOf(8, 8, 8, 8)) {
      const peer = connectTo(host.host, host.magic, kind, at)
      yield* shakeHands(peer)
      return peer
    })
    return {
      ...host,
      chain,
      pass,
      join,
      book,
      figures: () => [...host.peers.values()].map((peer) => part!.figures(peer))
    }
  })

const known = (text: string, time = NOW, services = 9n): KnownAddress => ({ ...endpoint(text), time, services })

const addr = (addresses: ReadonlyArray<KnownAddress>): Message => ({ command: "addr", addresses })

const many = (count: number): ReadonlyArray<KnownAddress> =>
  Array.from({ length: count }, (_, i) => known(`${11 + (i >> 8)}.${i & 0xff}.1.1:8333`))

const observed = (peer: ScriptedPeer): number =>
  peer.received.filter(({ command }) => command.startsWith("addr")).length

describe("addresses that come from peers", () => {
  it.effect(
    "CVE-2024-52919: one in ten seconds, a thousand at once, and a thousand more of whom we asked",
    () =>
      Effect.gen(function*() {
        const { figures, join, pass } = yield* place()
        const inbound = yield* join("inbound")
        inbound.say(addr(many(1_000)))
        yield* settle
        assert.deepStrictEqual(figures()[0], { addr_relay_enabled: true, addr_processed: 1, addr_rate_limited: 999 })
        yield* pass(10 * MINUTE)
        inbound.say(addr(many(1_000)))
        yield* settle
        assert.strictEqual(figures()[0]!.addr_processed, 61)
        for (let i = 0; i < 24; i++) {
          inbound.say({ command: "pong", nonce: inbound.last("ping").nonce! })
          yield* pass(10 * MINUTE)
        }
        inbound.say(addr(many(1_000)), addr(many(1_000)))
        yield* settle
        assert.strictEqual(figures()[0]!.addr_processed, 61 + ADDRESS_LIMITS.intakeBurst.most)
      })
  )

  it.effect("a peer that was asked may answer with a thousand", () =>
    Effect.gen(function*() {
      const { book, figures, join } = yield* place()
      const peer = yield* join("outbound-full-relay")
      assert.strictEqual(peer.received.filter(({ command }) => command === "getaddr").length, 1)
      peer.say(addr(many(1_000)))
      yield* settle
      assert.deepStrictEqual(figures()[0], { addr_relay_enabled: true, addr_processed: 1_000, addr_rate_limited: 0 })
      assert.isAtLeast(book.size(), 500)
    }))

  it.effect("peers for blocks alone are neither asked nor listened to, nor are feelers asked", () =>
    Effect.gen(function*() {
      const { book, figures, join } = yield* place()
      const peer = yield* join("block-relay-only")
      peer.say(addr([known("11.1.1.1:8333")]))
      yield* settle
      assert.isFalse(peer.commands().includes("getaddr"))
      assert.deepStrictEqual([book.size(), figures()[0]!.addr_relay_enabled], [0, false])
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

describe("addresses that go to peers", () => {
  it.effect("an inbound peer that asks gets some, once; an outbound one gets none", () =>
    Effect.gen(function*() {
      const { book, join, pass } = yield* place()
      book.add(many(1_000), endpoint("99.1.1.1:1").address)
      const asking = yield* join("inbound")
      asking.say({ command: "getaddr" }, { command: "getaddr" })
      yield* pass(2 * MINUTE)
      assert.strictEqual(observed(asking), 1)
      const { addresses } = asking.last("addrv2")
      assert.isAtLeast(addresses.length, 1)
      assert.isAtMost(addresses.length, Math.floor(book.size() * 0.23))
      const outbound = yield* join("outbound-full-relay", endpointOf(7, 7, 7, 7))
      outbound.say({ command: "getaddr" })
      yield* pass(2 * MINUTE)
      assert.strictEqual(observed(outbound), 0)
    }))

  it.effect("an answer to getaddr replaces what waited to be sent to that peer", () =>
    Effect.gen(function*() {
      for (const asks of [false, true]) {
        const { join, pass } = yield* place()
        const [listener, teller] = [yield* join("inbound"), yield* join("inbound", endpointOf(9, 9, 9, 9))]
        listener.say(addr([known("12.1.1.1:8333", NOW - 86_400)]))
        yield* settle
        teller.say(addr([known("11.1.1.1:8333")]))
        yield* settle
        // 23 percent of two known addresses are none.
        if (asks) listener.say({ command: "getaddr" })
        yield* settle
        yield* pass(3 * MINUTE)
        assert.strictEqual(observed(listener), asks ? 0 : 1)
      }
    }))

  it.effect("all peers that ask within a day get the same answer, so that none can read the whole addrman", () =>
    Effect.gen(function*() {
      const { book, join, pass } = yield* place()
      book.add(many(1_000), endpoint("99.1.1.1:1").address)
      const answers: Array<string> = []
      for (let i = 1; i <= 3; i++) {
        const asking = yield* join("inbound", endpointOf(9, 9, 9, i))
        asking.say({ command: "getaddr" })
        yield* pass(1_000)
        answers.push(asking.last("addrv2").addresses.map(({ address }) => address.bytes.join(".")).toSorted().join())
      }
      assert.strictEqual(new Set(answers).size, 1)
      yield* pass(100)
      const later = yield* place()
      later.book.add(many(1_000), endpoint("99.1.1.1:1").address)
      assert.notStrictEqual(answers[0], "")
    }))

  it.effect("a peer that did not ask for the new form gets addresses that fit the old one", () =>
    Effect.gen(function*() {
      const { book, host, magic, pass } = yield* place()
      const onion = { network: AddressNetwork.TORV3, bytes: new Uint8Array(32).fill(5) }
      book.add([...many(200), { address: onion, port: 8_333, services: 9n, time: NOW }], endpoint("99.1.1.1:1").address)
      const old = connectTo(host, magic, "inbound")
      old.say(usualVersion, { command: "verack" })
      yield* settle
      old.say({ command: "getaddr" })
      yield* pass(1_000)
      assert.isFalse(old.commands().includes("addrv2"))
      assert.isTrue(old.last("addr").addresses.every(({ address }) => address.network === AddressNetwork.IPV4))
    }))

  it.effect("our own address, where an operator wants that", () =>
    Effect.gen(function*() {
      const { join, pass } = yield* place({ own: endpoint("20.1.1.1:8333") })
      const peer = yield* join("outbound-full-relay")
      yield* pass(MINUTE)
      assert.deepStrictEqual(peer.last("addrv2").addresses.map(({ port, services }) => [port, services]), [[
        8_333,
        1_033n
      ]])
      const silent = yield* place()
      const other = yield* silent.join("outbound-full-relay")
      yield* silent.pass(MINUTE)
      assert.strictEqual(observed(other), 0)
    }))

  it.effect("our own address waits for the end of the initial download, and no longer", () =>
    Effect.gen(function*() {
      const { chain, join, pass } = yield* place({ own: endpoint("20.1.1.1:8333") })
      chain.set({ initialBlockDownload: true })
      const peer = yield* join("outbound-full-relay")
      yield* pass(10 * MINUTE)
      assert.strictEqual(observed(peer), 0)
      chain.set({ initialBlockDownload: false })
      yield* pass(4 * MINUTE)
      assert.deepStrictEqual(peer.last("addrv2").addresses.map(({ address }) => [...address.bytes]), [[20, 1, 1, 1]])
      assert.strictEqual(observed(peer), 1)
    }))

  it.effect("an addr-fetch peer is disconnected when it has sent addresses", () =>
    Effect.gen(function*() {
      const { join } = yield* place()
      const peer = yield* join("addr-fetch")
      peer.say(addr([known("11.1.1.1:8333")]))
      yield* settle
      assert.isFalse(peer.is.closed, "one may be its own")
      peer.say(addr(many(2)))
      yield* settle
      assert.isTrue(peer.is.closed)
    }))
})
