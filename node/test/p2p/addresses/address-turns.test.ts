import { assert, describe, it } from "vitest"
import { AddressNetwork } from "@lockstep/protocol/wire/address/network-address.ts"
import type { KnownAddress } from "@lockstep/protocol/wire/messages/addr.ts"
import * as Effect from "effect/Effect"
import { endpointText } from "../../../src/net/endpoint-text.ts"
import type { Endpoint } from "../../../src/net/endpoint.ts"
import { addressBook } from "../../../src/p2p/addresses/address-book.ts"
import { addressesPart } from "../../../src/p2p/addresses/addresses-part.ts"
import type { PeerKind } from "../../../src/p2p/peer/peer.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { chainModel, type ScriptedPeer, scriptedPeer } from "../sync/chain-model.ts"
import { endpoint } from "../transport/transport-suite.ts"

const NOW = 1_700_193_573_000
const DAY = 86_400_000
const OWN = endpoint("9.9.9.9:8333")

/** A part whose waiting times are their means. */
const world = (own?: Endpoint) => {
  const draws: Array<number> = []
  const random = {
    ...seededRandom(3),
    exponential: (mean: number) => {
      draws.push(mean)
      return mean
    }
  }
  const model = chainModel(NOW / 1_000)
  model.initialBlockDownload = false
  const environment = { now: () => unixMilliseconds(NOW), random }
  const context = { ...model.context, environment }
  const book = addressBook(environment)
  const part = addressesPart({ book, context, reachable: new Set(["ipv4"]), isShunned: () => false, own: () => own })
  const add = (kind: PeerKind, more: Partial<ScriptedPeer> = {}): ScriptedPeer => {
    const peer = Object.assign(scriptedPeer(model.peers.size, kind), more)
    model.peers.set(peer.id, peer)
    return peer
  }
  const say = (peer: ScriptedPeer, addresses: ReadonlyArray<KnownAddress>): void =>
    Effect.runSync(part.handlers.addr!(peer, { command: "addr", addresses }))
  const ask = (peer: ScriptedPeer): void => Effect.runSync(part.handlers.getaddr!(peer, { command: "getaddr" }))
  /** The addresses of each message that goes to the peer on its turn. */
  const turn = (peer: ScriptedPeer, at: number): ReadonlyArray<ReadonlyArray<string>> => {
    peer.sent.length = 0
    part.tick!(peer, unixMilliseconds(at))
    return peer.sent.map((message) => message.command === "addrv2" ? message.addresses.map(endpointText) : [])
  }
  return { add, ask, book, draws, part, say, turn }
}

const fresh = (i: number): KnownAddress => ({
  ...endpoint(`${20 + (i >> 8)}.${i & 255}.1.1:8333`),
  services: 9n,
  time: NOW / 1_000
})

describe("a peer's turn for addresses", () => {
  it("comes every 30 seconds, and brings this node's own address once a day, on average", () => {
    const { add, draws, part, say, turn } = world(OWN)
    const [peer, source] = [add("outbound-full-relay"), add("inbound")]
    part.greeted!(peer)
    assert.deepStrictEqual(turn(peer, NOW), [["9.9.9.9:8333"]])
    assert.deepStrictEqual(draws, [DAY, 30_000])
    say(source, [fresh(1)])
    assert.deepStrictEqual(turn(peer, NOW + 29_999), [])
    assert.deepStrictEqual(turn(peer, NOW + 30_000), [["20.1.1.1:8333"]])
    assert.deepStrictEqual(draws, [DAY, 30_000, 30_000])
    assert.deepStrictEqual(turn(peer, NOW + DAY - 1), [])
    assert.deepStrictEqual(turn(peer, NOW + DAY + 29_999), [["9.9.9.9:8333"]])
  })

  it("brings the own address at the very moment it is due", () => {
    const { add, part, turn } = world(OWN)
    const peer = add("outbound-full-relay")
    part.greeted!(peer)
    turn(peer, NOW)
    assert.deepStrictEqual(turn(peer, NOW + DAY), [["9.9.9.9:8333"]])
  })

  it("does not come to a peer that has neither asked nor sent, though addresses are passed on meanwhile", () => {
    const { add, draws, say, turn } = world(OWN)
    const [silent, source] = [add("inbound"), add("inbound")]
    say(source, [fresh(1)])
    assert.deepStrictEqual([turn(silent, NOW), draws], [[], []])
    assert.deepStrictEqual(turn(source, NOW), [["9.9.9.9:8333"]])
  })

  it("brings a thousand addresses at most: one that comes later takes the place of any of them", () => {
    const { add, part, say, turn } = world()
    const [peer, source] = [add("outbound-full-relay"), add("inbound", { permissions: new Set(["addr"]) })]
    part.greeted!(peer)
    const all = Array.from({ length: 1_001 }, (_, i) => fresh(i))
    for (let at = 0; at < all.length; at += 10) say(source, all.slice(at, at + 10))
    const [received, ...others] = turn(peer, NOW)
    assert.deepStrictEqual([new Set(received).size, others], [1_000, []])
    assert.isTrue(received!.includes(endpointText(all.at(-1)!)))
  })
})

describe("an address that is passed on", () => {
  it("goes to peers that are ready and there, never back", () => {
    for (const more of [{ isGone: true }, { isReady: false }]) {
      const { add, part, say, turn } = world()
      const [peer, source] = [add("outbound-full-relay"), add("outbound-full-relay")]
      const others = Array.from({ length: 6 }, () => add("outbound-full-relay"))
      for (const each of [peer, source, ...others]) part.greeted!(each)
      // The long answer is over.
      say(source, [])
      for (const each of others) Object.assign(each, more)
      const all = Array.from({ length: 12 }, (_, i) => fresh(i))
      for (const each of all) say(source, [each])
      assert.sameMembers([...turn(peer, NOW)[0] ?? []], all.map(endpointText))
      assert.deepStrictEqual(turn(source, NOW), [])
    }
  })
})

describe("an address of a form that not all peers know", () => {
  it("goes to two that know it, however many others there are", () => {
    const { add, part, say, turn } = world()
    const source = add("inbound")
    const old = Array.from({ length: 8 }, () => add("outbound-full-relay"))
    for (const { hello } of old) hello!.wantsAddrV2 = false
    const young = [add("outbound-full-relay"), add("outbound-full-relay")]
    for (const each of [...old, ...young]) part.greeted!(each)
    const service = { network: AddressNetwork.TORV3, bytes: new Uint8Array(32).fill(7) }
    say(source, [{ address: service, port: 8_333, services: 9n, time: NOW / 1_000 }])
    // Of a network that is not reached it goes to one peer or to two.
    const counts = young.map((each) => turn(each, NOW).length)
    assert.isAtLeast(counts[0]! + counts[1]!, 1)
    assert.deepStrictEqual(old.map((each) => turn(each, NOW)), old.map(() => []))
  })
})

describe("the first turn", () => {
  it("brings the own address in a message of its own, before all others", () => {
    const { add, part, say, turn } = world(OWN)
    const [peer, source] = [add("outbound-full-relay"), add("inbound", { permissions: new Set(["addr"]) })]
    part.greeted!(peer)
    say(source, [fresh(1)])
    assert.deepStrictEqual(turn(peer, NOW), [["9.9.9.9:8333"], ["20.1.1.1:8333"]])
    say(source, [fresh(2)])
    assert.deepStrictEqual(turn(peer, NOW + DAY), [["20.2.1.1:8333", "9.9.9.9:8333"]])
  })
})

describe("the answer to getaddr", () => {
  it("is one answer for all who came over the same endpoint of this node, and another for others", () => {
    const { add, ask, book, turn } = world()
    for (let i = 0; i < 600; i++) book.add([fresh(i)], endpoint(`${40 + (i & 63)}.1.1.1:1`).address)
    const answerAt = (local: string): ReadonlyArray<string> => {
      const peer = add("inbound", { local: endpoint(local) })
      ask(peer)
      return [...turn(peer, NOW)[0]!].toSorted()
    }
    const first = answerAt("1.1.1.1:1")
    assert.isAbove(first.length, 50)
    assert.deepStrictEqual(answerAt("1.1.1.1:1"), first)
    assert.notDeepEqual(answerAt("1.1.1.1:2"), first)
  })
})
