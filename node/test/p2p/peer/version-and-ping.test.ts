import { assert, describe, it } from "@effect/vitest"
import { offers, ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import type { PeerKind } from "../../../src/p2p/peer/peer.ts"
import { ourVersion } from "../../../src/p2p/peer/session/own-version.ts"
import {
  keepPinging,
  oddPong,
  type Pinging,
  pinging,
  pingTimeout,
  receivePong,
  unforeseeable
} from "../../../src/p2p/peer/session/ping-pong.ts"
import { neededServices, versionOf } from "../../../src/p2p/peer/session/read-version.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { chainModel, scriptedPeer } from "../sync/chain-model.ts"
import { endpointOf, usualVersion } from "./scripted-peer.ts"
import { stillChain } from "./still-chain.ts"

const { NETWORK, NETWORK_LIMITED, WITNESS } = ServiceFlag
const NOW = unixMilliseconds(1_700_000_000_999)

describe("what a peer says of itself", () => {
  it("is shown as it is, with the lower of both versions", () => {
    const said = versionOf({ ...usualVersion, version: 70_013, startHeight: 7, time: 1_700_000_060n }, NOW)
    assert.deepInclude(said, {
      version: 70_013,
      ownVersion: 70_013,
      services: 9n,
      userAgent: "/scripted/",
      startHeight: 7,
      relay: true,
      isFiltered: false,
      timeOffset: 60,
      wtxidRelay: false,
      wantsAddrV2: false,
      packages: 0n
    })
    assert.deepInclude(versionOf({ ...usualVersion, version: 99_999 }, NOW), { version: 70_017, ownVersion: 99_999 })
  })

  it("may leave things out", () => {
    const said = versionOf({
      ...usualVersion,
      userAgent: undefined,
      startHeight: undefined,
      relay: undefined,
      sender: undefined
    }, NOW)
    assert.deepInclude(said, { userAgent: "", startHeight: -1, relay: true })
    assert.isFalse(versionOf({ ...usualVersion, relay: 0 }, NOW).relay)
  })

  it("has a time, of which no more than 2^40 seconds either way are shown", () => {
    const offset = (time: bigint) => versionOf({ ...usualVersion, time }, NOW).timeOffset
    assert.deepStrictEqual([1_700_000_000n, 1_699_999_999n, -5n, 1n << 62n].map(offset), [
      0,
      -1,
      -1_700_000_000,
      2 ** 40
    ])
  })

  it("names the address it sees, where that is one", () => {
    const receiver = { services: 0n, ...endpointOf(8, 8, 8, 8) }
    assert.deepStrictEqual(versionOf({ ...usualVersion, receiver }, NOW).addressSeen, endpointOf(8, 8, 8, 8))
    assert.isUndefined(
      versionOf({ ...usualVersion, receiver: { ...receiver, ...endpointOf(0, 0, 0, 0) } }, NOW).addressSeen
    )
  })
})

describe("a peer that this node chose", () => {
  /** Whether it is of use, when the tip is so many seconds old. */
  const useful = (kind: PeerKind, services: bigint, age = 0): boolean => {
    const chain = stillChain()
    const { context } = chainModel(chain.state().time + age)
    return offers(services, neededServices(scriptedPeer(1, kind), services, { ...context, chain }))
  }

  it("must offer witnesses and the chain", () => {
    for (const kind of ["outbound-full-relay", "block-relay-only", "addr-fetch"] as const) {
      assert.isTrue(useful(kind, WITNESS | NETWORK))
      assert.isFalse(useful(kind, NETWORK))
      assert.isFalse(useful(kind, WITNESS))
      assert.isTrue(useful(kind, WITNESS | NETWORK, 1_000_000_000))
    }
    for (const kind of ["inbound", "manual", "feeler"] as const) assert.isTrue(useful(kind, 0n))
  })

  it("may have the last blocks only while the tip is less than 144 intervals old", () => {
    assert.isTrue(useful("outbound-full-relay", WITNESS | NETWORK_LIMITED, 86_399))
    assert.isFalse(useful("outbound-full-relay", WITNESS | NETWORK_LIMITED, 86_400))
  })
})

describe("what this node says of itself", () => {
  const { context } = chainModel(1_700_000_000)
  const versionInfo = { userAgent: "/me/", wantsTransactions: true }
  const said = (kind: PeerKind, changes = {}, wants = true) =>
    ourVersion(Object.assign(scriptedPeer(1, kind), changes), context, { ...versionInfo, wantsTransactions: wants }, 5n)

  it("wants transactions from full-relay peers, and of others where they are permitted to", () => {
    assert.deepStrictEqual(
      (["outbound-full-relay", "inbound", "manual", "addr-fetch", "block-relay-only", "feeler"] as const).map((kind) =>
        said(kind).relay
      ),
      [1, 1, 1, 1, 0, 0]
    )
    assert.strictEqual(said("inbound", {}, false).relay, 0)
    assert.strictEqual(said("inbound", { permissions: new Set(["relay"]) }, false).relay, 1)
  })

  it("names the peer's address where that is on the internet, and never its own", () => {
    const { receiver, sender, startHeight, time, version } = said("inbound", { endpoint: endpointOf(8, 8, 8, 8) })
    assert.deepStrictEqual([receiver.address, receiver.port], [endpointOf(8, 8, 8, 8).address, 8_333])
    assert.deepStrictEqual([version, time, startHeight], [70_017, 1_700_000_000n, 0])
    assert.deepStrictEqual([sender?.nonce, sender?.from.port, sender?.from.address.bytes.join("")], [
      5n,
      0,
      "0".repeat(16)
    ])
    const hidden = said("inbound").receiver
    assert.deepStrictEqual([hidden.port, hidden.address.bytes.join("")], [0, "0".repeat(16)])
    assert.strictEqual(said("inbound", { hello: undefined }).receiver.services, 0n)
    assert.strictEqual(receiver.services, 0x409n)
  })
})

describe("pings", () => {
  const random = seededRandom(3)
  const at = (milliseconds: number) => unixMilliseconds(1_700_000_000_000 + milliseconds)
  const pong = (nonce: bigint): Uint8Array => {
    const bytes = new Uint8Array(8)
    new DataView(bytes.buffer).setBigUint64(0, nonce, true)
    return bytes
  }

  it("go out at first, then two minutes after the last that was answered, or when an operator asks", () => {
    const [peer, state] = [scriptedPeer(1, "inbound"), pinging()]
    const keep = (milliseconds: number) => {
      keepPinging(peer, state, at(milliseconds), random)
      return peer.sent.length
    }
    assert.strictEqual(keep(0), 1)
    assert.deepStrictEqual(peer.sent[0], { command: "ping", nonce: state.nonce })
    assert.strictEqual(peer.latency.waitingSince, at(0))
    assert.strictEqual(keep(120_001), 1)
    receivePong(peer, state, pong(state.nonce!), at(120_001))
    assert.strictEqual(keep(120_000), 1)
    assert.strictEqual(keep(120_001), 2)
    state.isAsked = true
    assert.strictEqual(keep(120_002), 3)
    assert.isFalse(state.isAsked)
  })

  it("to a peer from before BIP31 await nothing", () => {
    for (const [version, isAwaited] of [[60_000, false], [60_001, true]] as const) {
      const [peer, state] = [scriptedPeer(1, "inbound"), pinging()]
      Object.assign(peer, { hello: { ...peer.hello, version } })
      keepPinging(peer, state, at(0), random)
      assert.strictEqual(state.nonce !== undefined, isAwaited)
      assert.strictEqual(peer.latency.waitingSince, isAwaited ? at(0) : undefined)
    }
  })

  it("are awaited for twenty minutes", () => {
    const state: Pinging = { nonce: 5n, sentAt: at(0), isAsked: false }
    assert.isUndefined(pingTimeout(state, at(1_200_000)))
    assert.strictEqual(pingTimeout(state, at(1_200_001)), 1_200.001)
    assert.isUndefined(pingTimeout({ ...state, nonce: undefined }, at(9_999_999)))
  })

  it("measure how long the answer took, the last and the least", () => {
    const peer = scriptedPeer(1, "inbound")
    const took = (milliseconds: number) => {
      receivePong(peer, { nonce: 5n, sentAt: at(0), isAsked: false }, pong(5n), at(milliseconds))
      return [peer.latency.last, peer.latency.least]
    }
    assert.deepStrictEqual([300, 100, 200, -50].map(took), [[300, 300], [100, 100], [200, 100], [0, 0]])
  })

  it("are answered by their number, or by none; not by another", () => {
    const state = (): Pinging => ({ nonce: 5n, sentAt: at(0), isAsked: false })
    const answered = (payload: Uint8Array) => {
      const [peer, waiting] = [scriptedPeer(1, "inbound"), state()]
      Object.assign(peer.latency, { waitingSince: 1 })
      receivePong(peer, waiting, payload, at(9))
      return [waiting.nonce === undefined, peer.latency.waitingSince === undefined, peer.latency.last]
    }
    assert.deepStrictEqual(answered(pong(5n)), [true, true, 9])
    assert.deepStrictEqual(answered(pong(0n)), [true, true, undefined])
    assert.deepStrictEqual(answered(new Uint8Array(7)), [true, true, undefined])
    assert.deepStrictEqual(answered(pong(6n)), [false, false, undefined])
    assert.strictEqual(oddPong(state(), pong(5n)), undefined)
    assert.deepStrictEqual(oddPong(state(), pong(6n)), { why: "mismatch", expected: 5n, received: 6n, bytes: 8 })
    assert.deepStrictEqual(oddPong(state(), pong(0n)), { why: "zero", expected: 5n, received: 0n, bytes: 8 })
    assert.deepStrictEqual(oddPong(state(), new Uint8Array(7)), { why: "short", expected: 5n, received: 0n, bytes: 7 })
    assert.deepStrictEqual(oddPong(pinging(), pong(6n)), { why: "unsolicited", expected: 0n, received: 6n, bytes: 8 })
  })

  it("have numbers that are not zero", () => {
    const zero = { ...random, bytes: (count: number) => new Uint8Array(count) }
    assert.strictEqual(unforeseeable(zero), 1n)
    assert.strictEqual(
      unforeseeable({ ...random, bytes: () => Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8) }),
      0x0102030405060709n
    )
  })
})
