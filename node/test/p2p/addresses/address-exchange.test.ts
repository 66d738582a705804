import { assert, describe, it } from "@effect/vitest"
import { AddressNetwork } from "@lockstep/protocol/wire/address/network-address.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { DEFAULT_LIMITS } from "@lockstep/protocol/wire/limits.ts"
import type { KnownAddress } from "@lockstep/protocol/wire/messages/addr.ts"
import * as Effect from "effect/Effect"
import type { Endpoint } from "../../../src/net/endpoint.ts"
import { addressBook } from "../../../src/p2p/addresses/address-book.ts"
import { addressesPart } from "../../../src/p2p/addresses/addresses-part.ts"
import type { P2pContext } from "../../../src/p2p/peer/p2p-context.ts"
import type { PeerKind } from "../../../src/p2p/peer/peer.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { stillChain } from "../peer/still-chain.ts"
import { type ScriptedPeer, scriptedPeer } from "../sync/chain-model.ts"
import { endpoint } from "../transport/transport-suite.ts"

const START = 1_700_193_573_000
const NOW = START / 1_000
const DAY = 86_400_000
const OWN = endpoint("20.1.1.1:8333")

interface Options {
  readonly own?: Endpoint
}

/** The exchange of addresses alone, with waiting times that are exactly their mean. */
const place = ({ own }: Options = {}) => {
  const clock = { now: START }
  const observed: Array<Readonly<Record<string, unknown>>> = []
  const seen: Array<Readonly<Record<string, unknown>>> = []
  const peers = new Map<number, ScriptedPeer>()
  const chain = stillChain()
  const random = {
    below: () => 0,
    bytes: (count: number) => new Uint8Array(count).fill(9),
    exponential: (mean: number) => mean
  }
  const context: P2pContext = {
    network: REGTEST,
    crypto: testCrypto,
    limits: DEFAULT_LIMITS,
    environment: { now: () => unixMilliseconds(clock.now), random },
    chain,
    peers,
    notify: {
      event: (type, payload) => void observed.push({ type, ...payload as object }),
      log: () => undefined,
      trace: (happening) => void seen.push({ ...happening })
    },
    services: () => 1_033n
  }
  const book = addressBook({ now: () => unixMilliseconds(clock.now), random: seededRandom(5) })
  const part = addressesPart({
    context,
    book,
    reachable: new Set(["ipv4", "ipv6"]),
    isShunned: () => false,
    own: () => own
  })
  const join = (kind: PeerKind, more: Partial<ScriptedPeer> = {}): ScriptedPeer => {
    const peer = Object.assign(scriptedPeer(peers.size + 1, kind, 9n, START, 8), more)
    peers.set(peer.id, peer)
    part.greeted?.(peer)
    part.ready?.(peer)
    return peer
  }
  const say = (peer: ScriptedPeer, addresses: ReadonlyArray<KnownAddress>): void =>
    Effect.runSync(part.handlers["addrv2"]!(peer, { command: "addrv2", addresses }) as Effect.Effect<void>)
  const ask = (peer: ScriptedPeer): void =>
    Effect.runSync(part.handlers["getaddr"]!(peer, { command: "getaddr" }) as Effect.Effect<void>)
  /** What is sent to a peer at this time, each as network and first bytes. */
  const turn = (peer: ScriptedPeer, at = clock.now): ReadonlyArray<string> => {
    clock.now = at
    peer.sent.length = 0
    part.tick?.(peer, unixMilliseconds(at))
    return peer.sent.flatMap((message) =>
      message.command === "addr" || message.command === "addrv2"
        ? message.addresses.map(({ address }) => address.bytes.slice(0, 4).join("."))
        : []
    )
  }
  return { ask, book, chain, clock, join, part, say, seen, observed, turn }
}

const known = (text: string, time = NOW): KnownAddress => ({ ...endpoint(text), services: 9n, time })

const many = (count: number): ReadonlyArray<KnownAddress> =>
  Array.from({ length: count }, (_, i) => known(`${11 + (i >> 8)}.${i & 0xff}.1.1:8333`))

const onion: KnownAddress = {
  address: { network: AddressNetwork.TORV3, bytes: new Uint8Array(32).fill(5) },
  port: 8_333,
  services: 9n,
  time: NOW
}

const TRUSTED = { permissions: new Set(["addr"] as const) }

describe("when addresses are sent", () => {
  it("what waits goes out every 30 seconds on average", () => {
    const { ask, join, say, turn } = place()
    const [teller, listener] = [join("inbound", TRUSTED), join("inbound")]
    ask(listener)
    assert.deepStrictEqual(turn(listener), [])
    say(teller, [known("12.1.1.1:8333")])
    assert.deepStrictEqual(turn(listener, START + 29_999), [])
    assert.deepStrictEqual(turn(listener, START + 30_000), ["12.1.1.1"])
    assert.deepStrictEqual(turn(listener, START + 60_000), [])
  })

  it("this node's own address goes out at once, and again every 24 hours on average, without what was sent before", () => {
    const { join, say, seen, turn } = place({ own: OWN })
    const [teller, listener] = [join("inbound", TRUSTED), join("outbound-full-relay")]
    say(teller, [known("12.1.1.1:8333"), known("13.1.1.1:8333")])
    const first = turn(listener)
    assert.deepStrictEqual([first[0], first.slice(1).toSorted()], ["20.1.1.1", ["12.1.1.1", "13.1.1.1"]])
    assert.deepStrictEqual(turn(listener, START + DAY - 1), [])
    assert.deepStrictEqual(turn(listener, START + DAY), [])
    assert.deepStrictEqual(turn(listener, START + DAY + 30_000), ["20.1.1.1"])
    const advertised = { _tag: "AddressAdvertised", peer: listener.id, address: "20.1.1.1:8333" }
    assert.deepStrictEqual(seen.filter(({ _tag }) => _tag === "AddressAdvertised"), [advertised, advertised])
  })

  it("this node's own address stays unsaid during the initial download, and where others cannot reach it", () => {
    const syncing = place({ own: OWN })
    syncing.chain.set({ initialBlockDownload: true })
    assert.deepStrictEqual(syncing.turn(syncing.join("outbound-full-relay")), [])
    const hidden = place({ own: endpoint("192.168.1.1:8333") })
    assert.deepStrictEqual(hidden.turn(hidden.join("outbound-full-relay")), [])
  })

  it("a message holds 1,000 addresses, and of more that wait one makes room for the next", () => {
    const { ask, join, say, turn } = place()
    const [teller, listener] = [join("inbound", TRUSTED), join("inbound")]
    ask(listener)
    const all = many(1_001)
    for (let i = 0; i < all.length; i += 10) say(teller, all.slice(i, i + 10))
    const sent = turn(listener)
    assert.strictEqual(sent.length, 1_000)
    assert.notInclude(sent, "11.0.1.1", "the one that was drawn")
    assert.include(sent, "14.232.1.1", "the last one")
  })
})

describe("to which peers an address goes", () => {
  const listeners = ({ ask, join }: ReturnType<typeof place>, count: number): ReadonlyArray<ScriptedPeer> =>
    Array.from({ length: count }, () => {
      const peer = join("inbound")
      ask(peer)
      return peer
    })

  const heardBy = (at: ReturnType<typeof place>, address: KnownAddress): number => {
    const teller = at.join("inbound")
    const all = listeners(at, 4)
    at.say(teller, [address])
    return all.filter((peer) => at.turn(peer).length > 0).length
  }

  it("two where this node reaches its network; else one or two, as its hash says", () => {
    assert.strictEqual(heardBy(place(), known("12.1.1.1:8333")), 2)
    const counts = [1, 2, 3, 4, 5, 6, 7, 8].map((port) => heardBy(place(), { ...onion, port }))
    assert.sameMembers([...new Set(counts)], [1, 2])
  })

  it("once, though several peers sent it before that peer's turn", () => {
    const at = place()
    const [one, two, listener] = [at.join("inbound"), at.join("inbound"), at.join("inbound")]
    at.ask(listener)
    for (const peer of [one, two]) at.say(peer, [known("12.1.1.1:8333")])
    assert.deepStrictEqual(at.turn(listener), ["12.1.1.1"])
  })

  it("neither back to the peer that sent it, nor to one that sent it too, has ended, or never asked", () => {
    const at = place()
    const [teller, other, gone, silent] = [
      at.join("inbound"),
      at.join("inbound"),
      at.join("inbound"),
      at.join("inbound")
    ]
    for (const peer of [teller, other, gone]) at.ask(peer)
    at.say(other, [known("12.1.1.1:8333", NOW - 3_600)])
    Object.assign(gone, { isGone: true })
    at.say(teller, [known("12.1.1.1:8333")])
    assert.deepStrictEqual([teller, other, gone, silent].map((peer) => at.turn(peer)), [[], [], [], []])
  })

  it("no onion service to a peer that knows only the old form, whose messages are named for that", () => {
    const at = place()
    const teller = at.join("inbound", TRUSTED)
    const old = at.join("inbound")
    old.hello!.wantsAddrV2 = false
    at.ask(old)
    at.say(teller, [onion])
    assert.deepStrictEqual(at.turn(old), [])
    at.say(teller, [known("12.1.1.1:8333")])
    assert.deepStrictEqual(at.turn(old, START + 30_000), ["12.1.1.1"])
    assert.deepStrictEqual(old.sent.map(({ command }) => command), ["addr"])
  })
})

describe("addresses that were asked for", () => {
  it("are not passed on: as long as messages of 1,000 come, and the shorter one that ends them", () => {
    const { ask, join, say, turn } = place()
    const [asked, listener] = [join("outbound-full-relay", TRUSTED), join("inbound")]
    ask(listener)
    say(asked, many(1_000))
    say(asked, [known("30.1.1.1:8333")])
    assert.deepStrictEqual(turn(listener), [])
    say(asked, [known("31.1.1.1:8333")])
    assert.deepStrictEqual(turn(listener, START + 30_000), ["31.1.1.1"])
  })

  it("are requested of full-relay, manual and addr-fetch peers", () => {
    const { join } = place()
    const kinds = ["outbound-full-relay", "manual", "addr-fetch", "block-relay-only", "feeler", "inbound"] as const
    assert.deepStrictEqual(kinds.filter((kind) => join(kind).sent.some(({ command }) => command === "getaddr")), [
      "outbound-full-relay",
      "manual",
      "addr-fetch"
    ])
  })
})

describe("a peer that sends more than its share", () => {
  it("is reported once, and each address beyond the share is counted", () => {
    const { join, part, say, observed } = place()
    const peer = join("inbound")
    say(peer, many(10))
    say(peer, many(10))
    assert.deepStrictEqual(observed, [
      { type: "RateLimitExceeded", peer: peer.name, limit: "addresses", current: 10, most: 1 }
    ])
    assert.deepStrictEqual(part.figures(peer), { isRelayed: true, processed: 1, limited: 19 })
  })

  it("is not limited where an operator permits it", () => {
    const { join, part, say, observed } = place()
    const peer = join("inbound", TRUSTED)
    say(peer, many(300))
    assert.deepStrictEqual(observed, [])
    assert.deepStrictEqual(part.figures(peer), { isRelayed: true, processed: 300, limited: 0 })
  })

  it("has no figures when it is gone, nor before it has sent addresses", () => {
    const { join, part, say } = place()
    const peer = join("inbound")
    const none = { isRelayed: false, processed: 0, limited: 0 }
    assert.deepStrictEqual(part.figures(peer), none)
    say(peer, many(1))
    part.gone?.(peer)
    assert.deepStrictEqual(part.figures(peer), none)
  })
})

describe("answers to getaddr", () => {
  const filled = () => {
    const at = place()
    at.book.add(many(1_000), endpoint("99.1.1.1:1").address)
    return at
  }

  const answerTo = (at: ReturnType<typeof place>, more: Partial<ScriptedPeer> = {}): string => {
    const peer = at.join("inbound", more)
    at.ask(peer)
    return at.turn(peer).toSorted().join()
  }

  it("are one for each local address and network of the peer, and new each time where an operator permits it", () => {
    const at = filled()
    const local = endpoint("1.0.0.1:8333")
    const first = answerTo(at, { local })
    assert.strictEqual(answerTo(at, { local }), first)
    assert.notStrictEqual(answerTo(at, { local: endpoint("1.0.0.2:8333") }), first)
    assert.notStrictEqual(answerTo(at, { local, endpoint: endpoint("[2a01::1]:8333") }), first)
    assert.notStrictEqual(answerTo(at, { local, ...TRUSTED }), answerTo(at, { local, ...TRUSTED }))
  })

  it("come once: a peer that asks again gets no other", () => {
    const at = filled()
    const peer = at.join("inbound", TRUSTED)
    at.ask(peer)
    assert.isAbove(at.turn(peer).length, 100)
    at.ask(peer)
    assert.deepStrictEqual(at.turn(peer, START + 30_000), [])
    assert.deepStrictEqual(at.seen.filter(({ _tag }) => _tag === "GetAddrRepeated"), [{
      _tag: "GetAddrRepeated",
      peer: peer.id
    }])
  })
})

it("what was received and what of it was new is traced", () => {
  const { join, say, seen } = place()
  const peer = join("inbound", TRUSTED)
  say(peer, [known("12.1.1.1:8333"), known("12.1.1.1:8333"), onion])
  assert.deepStrictEqual(seen, [
    { _tag: "AddressesReceived", peer: peer.id, received: 3, processed: 3, limited: 0 },
    { _tag: "AddressesAdded", added: 1, sent: 2, from: "8.0.0.1" }
  ])
})
