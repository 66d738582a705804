import { assert, describe, it } from "@effect/vitest"
import { offers, ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import { userAgentBytes } from "@lockstep/protocol/wire/user-agent.ts"
import * as Effect from "effect/Effect"
import { disconnectText } from "../../../src/runtime/disconnect-reason.ts"
import type { PeerKind } from "../../../src/p2p/peer/peer.ts"
import { connectTo, endpointOf, settle, shakeHands, usualVersion } from "./scripted-peer.ts"
import { stillChain } from "./still-chain.ts"
import { testHost } from "./test-host.ts"
import { host, START } from "./session-host.ts"

const { NETWORK, NETWORK_LIMITED, WITNESS } = ServiceFlag

describe("the handshake", () => {
  it.effect("an inbound peer speaks first; the order is that of Bitcoin Core", () =>
    Effect.gen(function*() {
      const { host: { take }, magic, peers } = yield* host()
      const peer = connectTo({ take }, magic)
      yield* settle
      assert.deepStrictEqual(peer.news(), [])
      peer.say(usualVersion)
      yield* settle
      assert.deepStrictEqual(peer.news(), ["version", "wtxidrelay", "sendaddrv2", "verack"])
      assert.isFalse(peers.get(0)!.isReady)
      peer.say({ command: "wtxidrelay" }, { command: "sendaddrv2" }, { command: "verack" }, {
        command: "ping",
        nonce: 5n
      })
      yield* settle
      assert.deepStrictEqual(peer.news(), ["sendcmpct", "ping", "pong"])
      assert.deepStrictEqual(peer.last("sendcmpct"), { command: "sendcmpct", announce: false, version: 2n })
      assert.strictEqual(peer.last("pong").nonce, 5n)
      assert.isTrue(peers.get(0)!.isReady)
      assert.isTrue(peers.get(0)!.hello!.wtxidRelay)
      assert.isTrue(peers.get(0)!.hello!.wantsAddrV2)
    }))

  it.effect("we speak first to a peer that we dialed, and name this software", () =>
    Effect.gen(function*() {
      const { host: { take }, magic } = yield* host()
      const peer = connectTo({ take }, magic, "outbound-full-relay")
      yield* settle
      assert.deepStrictEqual(peer.news(), ["version"])
      const said = peer.last("version")
      assert.strictEqual(said.version, 70_017)
      assert.strictEqual(said.services, NETWORK | WITNESS | NETWORK_LIMITED)
      assert.strictEqual(said.time, BigInt(START / 1_000))
      assert.deepStrictEqual(said.userAgent, userAgentBytes("/Lockstep:0.0.0/"))
      assert.strictEqual(said.startHeight, 0)
      assert.deepStrictEqual(said.receiver.address, endpointOf(8, 8, 8, 8).address)
      peer.say(usualVersion, { command: "verack" })
      yield* settle
      assert.deepStrictEqual(peer.news(), ["wtxidrelay", "sendaddrv2", "verack", "sendcmpct", "ping"])
    }))

  it.effect.each<readonly [PeerKind, number]>([
    ["outbound-full-relay", 1],
    ["manual", 1],
    ["block-relay-only", 0],
    ["feeler", 0],
    ["addr-fetch", 1]
  ])("%s: relay flag %i", ([kind, relay]) =>
    Effect.gen(function*() {
      const all = yield* host()
      const peer = connectTo(all.host, all.magic, kind)
      yield* settle
      assert.strictEqual(peer.last("version").relay, relay)
      const none = yield* host({ wantsTransactions: false })
      const other = connectTo(none.host, none.magic, kind)
      yield* settle
      assert.strictEqual(other.last("version").relay, 0)
    }))

  it.effect.each(
    [
      [31_799, "closed"],
      [31_800, "version verack alert ping"],
      [70_012, "version verack alert ping"],
      [70_015, "version verack sendcmpct ping"],
      [70_017, "version wtxidrelay sendaddrv2 verack sendcmpct ping"]
    ] as const
  )("protocol version %i: %s", ([version, expected]) =>
    Effect.gen(function*() {
      const { host: { take }, magic } = yield* host()
      const peer = connectTo({ take }, magic)
      peer.say({ ...usualVersion, version }, { command: "verack" })
      yield* settle
      assert.strictEqual(peer.is.closed ? "closed" : peer.news().join(" "), expected)
    }))

  it.effect("pings to peers from before BIP31 have no number, and theirs are not answered", () =>
    Effect.gen(function*() {
      const { host: { take }, magic } = yield* host()
      const peer = connectTo({ take }, magic)
      peer.say({ ...usualVersion, version: 60_000 }, { command: "verack" }, { command: "ping", nonce: 1n })
      yield* settle
      assert.strictEqual(peer.last("ping").nonce, undefined)
      assert.notInclude(peer.commands(), "pong")
    }))

  it.effect.each(
    [
      ["everything", NETWORK | WITNESS, true, true],
      ["no witnesses", NETWORK, true, false],
      ["no blocks", WITNESS, true, false],
      ["the last blocks, while we are near the tip", NETWORK_LIMITED | WITNESS, true, true],
      ["the last blocks, while we are far from the tip", NETWORK_LIMITED | WITNESS, false, false]
    ] as const
  )("an outbound peer that offers %s", ([, services, near, stays]) =>
    Effect.gen(function*() {
      const start = START + (near ? 143 : 145) * 600_000
      for (const kind of ["outbound-full-relay", "block-relay-only", "addr-fetch"] as const) {
        const { happenings, host: { take }, magic } = yield* host({ start })
        const peer = connectTo({ take }, magic, kind)
        peer.say({ ...usualVersion, services })
        yield* settle
        assert.strictEqual(peer.is.closed, !stays, kind)
        const needed = near && offers(services, NETWORK_LIMITED) ? WITNESS | NETWORK_LIMITED : WITNESS | NETWORK
        const flags = [services, needed].map((each) => each.toString(16).padStart(8, "0"))
        assert.deepStrictEqual(
          happenings.flatMap((each) => each._tag === "Disconnecting" ? [disconnectText(each.reason)] : []),
          stays ? [] : [`peer does not offer the expected services (${flags[0]} offered, ${flags[1]} expected)`]
        )
      }
      for (const kind of ["inbound", "manual"] as const) {
        const { host: { take }, magic } = yield* host({ start })
        const peer = connectTo({ take }, magic, kind)
        peer.say({ ...usualVersion, services })
        yield* settle
        assert.isFalse(peer.is.closed, kind)
      }
    }))

  it.effect("a feeler ends when it has been answered, and the address counts as reached", () =>
    Effect.gen(function*() {
      const gone: Array<string | undefined> = []
      const { host: { take }, magic } = yield* testHost({
        chain: stillChain(),
        parts: () =>
          Effect.succeed([{ name: "watch", handlers: {}, gone: ({ hello }) => void gone.push(hello?.userAgent) }])
      })
      const peer = connectTo({ take }, magic, "feeler")
      peer.say({ ...usualVersion, services: 0n })
      yield* settle
      assert.isTrue(peer.is.closed)
      assert.deepStrictEqual(gone, ["/scripted/"])
    }))

  it.effect("a connection to ourselves shows by its nonce", () =>
    Effect.gen(function*() {
      const { host: { take }, magic } = yield* host()
      const outward = connectTo({ take }, magic, "outbound-full-relay")
      yield* settle
      const inward = connectTo({ take }, magic)
      inward.say(outward.last("version"))
      yield* settle
      assert.isTrue(inward.is.closed)
      const other = connectTo({ take }, magic)
      other.say(usualVersion)
      yield* settle
      assert.isFalse(other.is.closed)
    }))

  it.effect("a second version changes nothing; a verack before the version is passed over", () =>
    Effect.gen(function*() {
      const { host: { take }, magic, peers } = yield* host()
      const peer = connectTo({ take }, magic)
      peer.say({ command: "verack" }, { command: "ping", nonce: 1n })
      yield* settle
      assert.deepStrictEqual(peer.news(), [])
      assert.isFalse(peers.get(0)!.isReady)
      peer.say(usualVersion, { ...usualVersion, startHeight: 9 }, { command: "verack" }, { command: "verack" })
      yield* settle
      assert.strictEqual(peers.get(0)!.hello!.startHeight, 0)
      assert.strictEqual(peer.commands().filter((command) => command === "sendcmpct").length, 1)
      assert.isFalse(peer.is.closed)
    }))

  it.effect.each(["wtxidrelay", "sendaddrv2"] as const)(
    "%s after verack ends the connection",
    (command) =>
      Effect.gen(function*() {
        const { host: { take }, magic } = yield* host()
        const peer = connectTo({ take }, magic)
        yield* shakeHands(peer)
        peer.say({ command })
        yield* settle
        assert.isTrue(peer.is.closed)
      })
  )

  it.effect.each(
    [
      ["feature", true, "feature"],
      ["sendtxrcncl", false, "sendtxrcncl"],
      ["alert", false, "*other*"]
    ] as const
  )("%s: connection ends %s", ([command, ends, counted]) =>
    Effect.gen(function*() {
      const { host: { take }, magic, peers } = yield* host()
      const peer = connectTo({ take }, magic)
      yield* shakeHands(peer)
      peer.sayPayload(command, Uint8Array.of(0))
      yield* settle
      assert.strictEqual(peer.is.closed, ends)
      if (!ends) assert.strictEqual(peers.get(0)!.traffic.receivedPerCommand.get(counted), 25)
    }))
})

/** A node that offers to reconcile transactions, and a peer. `made()`: what the node did about what it got. */
const reconciling = Effect.fnUntraced(function*(reconciles: boolean) {
  const { happenings, host: { take }, magic, peers } = yield* testHost({
    chain: stillChain(),
    start: START,
    versionInfo: { reconciles }
  })
  const made = () =>
    happenings.flatMap((each) =>
      each._tag === "LeftOut" || each._tag === "BadPayload"
        ? [`${each._tag} ${each.command}`]
        : each._tag === "Reconciliation" && each.step !== "offered" && each.step !== "forgotten"
        ? [each.step]
        : []
    )
  return { made, peer: connectTo({ take }, magic), peers }
})

describe("a message that is judged before it is read", () => {
  const AGREED = Uint8Array.of(1, 0, 0, 0, ...new Uint8Array(8))
  /** Whole, with more behind it, and cut short at each byte. */
  const forms = [AGREED, new Uint8Array(40), ...Array.from(AGREED, (_, i) => AGREED.subarray(0, i))]

  it.effect("sendtxrcncl is ignored by a node that does not reconcile, however short it is, also after verack", () =>
    Effect.gen(function*() {
      const { made, peer } = yield* reconciling(false)
      peer.say(usualVersion)
      for (const form of forms) peer.sayPayload("sendtxrcncl", form)
      peer.say({ command: "verack" })
      for (const form of forms) peer.sayPayload("sendtxrcncl", form)
      yield* settle
      assert.deepStrictEqual(new Set(made()), new Set(["off"]))
      assert.strictEqual(made().length, 2 * forms.length)
      assert.isFalse(peer.is.closed)
    }))

  it.effect("sendtxrcncl ends the connection after verack and without transactions, however short it is", () =>
    Effect.gen(function*() {
      for (const form of forms) {
        const late = yield* reconciling(true)
        yield* shakeHands(late.peer)
        late.peer.sayPayload("sendtxrcncl", form)
        const without = yield* reconciling(true)
        without.peer.say({ ...usualVersion, relay: 0 })
        without.peer.sayPayload("sendtxrcncl", form)
        yield* settle
        assert.deepStrictEqual([late.peer.is.closed, without.peer.is.closed], [true, true], `${form.length} bytes`)
        assert.deepStrictEqual([late.made(), without.made()], [[], []])
      }
    }))

  it.effect("sendtxrcncl that may be sent is ignored where it is too short to be read", () =>
    Effect.gen(function*() {
      const { made, peer } = yield* reconciling(true)
      peer.say(usualVersion)
      peer.sayPayload("sendtxrcncl", AGREED.subarray(0, 11))
      peer.sayPayload("sendtxrcncl", AGREED)
      yield* settle
      assert.deepStrictEqual(made(), ["BadPayload sendtxrcncl", "agreed"])
      assert.isFalse(peer.is.closed)
    }))

  it.effect("a second version is left out, however short it is", () =>
    Effect.gen(function*() {
      const { made, peer } = yield* reconciling(false)
      peer.sayPayload("version", Uint8Array.of(1))
      peer.say(usualVersion)
      for (const size of [0, 1, 19, 90]) peer.sayPayload("version", new Uint8Array(size))
      yield* settle
      assert.deepStrictEqual(made(), ["BadPayload version", ...Array.from({ length: 4 }, () => "LeftOut version")])
      assert.isFalse(peer.is.closed)
    }))
})

describe("a feature that a peer announces", () => {
  const announced = (size: number) => Uint8Array.of(size, ...new Uint8Array(size).fill(0x61), 0)

  it.effect.each<readonly [string, Uint8Array, boolean]>([
    ["with a name that nothing knows is without effect", announced(4), false],
    ["with the longest name is without effect", announced(80), false],
    ["with a name that is too short ends the connection", announced(3), true],
    ["with bytes behind it ends the connection", Uint8Array.of(...announced(4), 0), true]
  ])("%s", ([, payload, ends]) =>
    Effect.gen(function*() {
      const { host: { take }, magic } = yield* host()
      const peer = connectTo({ take }, magic)
      peer.say({ ...usualVersion, version: 70_017 })
      peer.sayPayload("feature", payload)
      peer.sayPayload("feature", payload)
      peer.say({ command: "verack" }, { command: "ping", nonce: 5n })
      yield* settle
      assert.strictEqual(peer.is.closed, ends)
      assert.strictEqual(peer.commands().includes("pong"), !ends)
    }))

  it.effect("of an older version, or after the handshake, ends the connection", () =>
    Effect.gen(function*() {
      const { host: { take }, magic } = yield* host()
      const [older, late, early] = [connectTo({ take }, magic), connectTo({ take }, magic), connectTo({ take }, magic)]
      older.say({ ...usualVersion, version: 70_016 })
      late.say({ ...usualVersion, version: 70_017 }, { command: "verack" })
      for (const peer of [older, late, early]) peer.sayPayload("feature", announced(4))
      yield* settle
      assert.isTrue(older.is.closed)
      assert.isTrue(late.is.closed)
      assert.isFalse(early.is.closed, "what comes before the version is left out")
    }))
})
