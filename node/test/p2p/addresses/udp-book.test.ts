import { assert, describe, it } from "vitest"
import type { KnownAddress } from "@lockstep/protocol/wire/messages/addr.ts"
import { parseNode } from "../../../src/net/endpoint-text.ts"
import { decodeUdpNodes, encodeUdpNodes } from "../../../src/p2p/addresses/udp/saved-udp-book.ts"
import { type UdpBook, udpBook } from "../../../src/p2p/addresses/udp/udp-book.ts"
import { isOfUse, sentUdpAddress, udpEndpointOf } from "../../../src/p2p/addresses/udp/udp-endpoint.ts"
import { ownUdpEndpoints } from "../../../src/p2p/addresses/udp/own-udp-endpoints.ts"
import { udpGossip } from "../../../src/p2p/addresses/udp/udp-gossip.ts"
import type { Peer } from "../../../src/p2p/peer/peer.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { quicKeyOf } from "../../../src/quic/quic-key.ts"
import { unixSeconds } from "../../../src/quantities.ts"

const DAY = 86_400
const node = (text: string) => parseNode(text, 8_333)!
const identity = quicKeyOf(new Uint8Array(32).fill(7)).identity
const QUIC = node(`quic://${identity}@20.0.0.1:8333`)
const IROH = node(`iroh://${"ab".repeat(32)}@[2001:db9::1]:8334`)
const HERE = node(`iroh://${"ab".repeat(32)}@127.0.0.1:8334`)
const FROM = node("30.0.0.1:1").address

const clock = () => {
  let now = 1_700_000_000
  return { now: () => unixSeconds(now), pass: (seconds: number) => void (now += seconds) }
}

const filled = (book: UdpBook, count: number, third: number, from = FROM) => {
  for (let at = 0; at < count; at++) {
    book.add(node(`quic://${identity}@20.${third}.${at >> 8}.${at & 255}:8333`), 9n, unixSeconds(1_700_000_000), from)
  }
}

describe("addresses of nodes over QUIC and Iroh", () => {
  it("are in addrv2 what they are here, key and all", () => {
    for (const endpoint of [QUIC, IROH]) assert.deepStrictEqual(udpEndpointOf(sentUdpAddress(endpoint)!), endpoint)
    assert.strictEqual(sentUdpAddress(QUIC)!.address.bytes.length, 36)
    assert.strictEqual(sentUdpAddress(IROH)!.address.bytes.length, 48)
    assert.strictEqual(sentUdpAddress(node("20.0.0.1:8333")), undefined)
    assert.strictEqual(sentUdpAddress(node("quic://20.0.0.1:8333")), undefined)
    const { address } = sentUdpAddress(QUIC)!
    assert.strictEqual(udpEndpointOf({ address: { ...address, bytes: address.bytes.subarray(1) }, port: 1 }), undefined)
    assert.strictEqual(udpEndpointOf({ address: { ...address, network: 0xb2 }, port: 1 }), undefined)
    assert.strictEqual(udpEndpointOf({ address, port: 0 }), undefined)
  })

  it("of this machine are for peers on it alone", () => {
    assert.isTrue(isOfUse(QUIC.address, FROM))
    assert.isFalse(isOfUse(HERE.address, FROM))
    assert.isTrue(isOfUse(HERE.address, node("127.0.0.1:1").address))
    assert.isFalse(isOfUse(node("10.0.0.1:1").address, FROM))
  })

  it("of this node are where it listens, at each own address where that is any", () => {
    const any = node("quic://0.0.0.0:9")
    const own = [node("20.0.0.9:8333"), node("[2001:db9::9]:8333")]
    assert.deepStrictEqual(ownUdpEndpoints([node("20.0.0.9:1"), QUIC, any], own), [
      QUIC,
      { ...any, address: own[0]!.address }
    ])
  })

  it("go to peers that agreed on them, and are taken from any that may be sent them", () => {
    const { now } = clock()
    const book = udpBook(now, seededRandom(1))
    const { fits, take } = udpGossip({ book, own: () => [] })
    const peer = (knowsUdpAddresses: boolean) =>
      ({ endpoint: node("30.0.0.1:1"), hello: { knowsUdpAddresses } }) as unknown as Peer
    const sent: KnownAddress = { ...sentUdpAddress(QUIC)!, services: 9n, time: now() }
    assert.isTrue(fits(peer(true), sent))
    assert.isFalse(fits(peer(false), sent))
    assert.isTrue(fits(peer(false), { ...sent, address: FROM }))
    assert.isTrue(take(peer(true), sent, () => false))
    assert.isFalse(take(peer(true), { ...sent, ...sentUdpAddress(IROH)! }, () => true))
    assert.isFalse(take(peer(true), { ...sent, ...sentUdpAddress(HERE)! }, () => false))
    assert.deepStrictEqual(book.list().map(({ endpoint }) => endpoint), [QUIC])
  })
})

describe("the book of nodes over QUIC and Iroh", () => {
  it("holds 64 untried nodes of one source, and 1,000 in all, where nodes that answered stay", () => {
    const { now } = clock()
    const book = udpBook(now, seededRandom(2))
    filled(book, 100, 1)
    assert.strictEqual(book.list().length, 64)
    const proven = book.list()[0]!.endpoint
    book.attempted(proven, true)
    for (let at = 0; at < 40; at++) filled(book, 64, 2 + at, node(`3${at % 10}.${at}.0.1:1`).address)
    assert.strictEqual(book.list().length, 1_000)
    assert.isTrue(book.list().some(({ endpoint }) => endpoint === proven))
  })

  it("forgets a node after three attempts in vain, ten after a success, and thirty days", () => {
    const { now, pass } = clock()
    const book = udpBook(now, seededRandom(3))
    book.add(QUIC, 9n, now(), FROM)
    book.add(IROH, 9n, now(), FROM)
    book.attempted(IROH, true)
    for (let at = 0; at < 3; at++) {
      book.attempted(QUIC, false)
      book.attempted(IROH, false)
    }
    assert.strictEqual(book.choose(() => true), undefined)
    assert.deepStrictEqual(book.list().map(({ endpoint }) => endpoint), [IROH])
    pass(61)
    assert.deepStrictEqual(book.choose(() => true), IROH)
    assert.strictEqual(book.choose(() => false), undefined)
    assert.strictEqual(book.sample(10).length, 1)
    pass(31 * DAY)
    assert.strictEqual(book.sample(10).length, 0)
    assert.strictEqual(book.choose(() => true), undefined)
    assert.strictEqual(book.list().length, 0)
  })

  it("is on disk what it is in memory; a damaged file is none", () => {
    const { now } = clock()
    const book = udpBook(now, seededRandom(4))
    book.add(QUIC, 0x409n, now(), FROM)
    book.add(IROH, 9n, now(), FROM)
    book.attempted(IROH, true)
    const text = encodeUdpNodes(book.list())
    assert.deepStrictEqual(decodeUdpNodes(text), book.list())
    assert.strictEqual(decodeUdpNodes(text.slice(0, -9)), undefined)
    assert.strictEqual(decodeUdpNodes("{}"), undefined)
    assert.deepStrictEqual(decodeUdpNodes(text.replace(/quic:[^"]*/, "20.0.0.1:8333"))?.length, 1)
  })
})
