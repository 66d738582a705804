import { assert, describe, it } from "@effect/vitest"
import { AddressNetwork } from "@lockstep/protocol/wire/address/network-address.ts"
import * as Effect from "effect/Effect"
import { connectTo, endpointOf, settle, usualVersion } from "../peer/scripted-peer.ts"
import { endpoint } from "../transport/transport-suite.ts"
import { addr, known, many, MINUTE, NOW, observed, place } from "./addresses-place.ts"

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
