import { assert, describe, it } from "vitest"
import type { AddressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import { AddressNetwork } from "@lockstep/protocol/wire/address/network-address.ts"
import { endpointKey, endpointText } from "../../../src/net/endpoint-text.ts"
import { networkGroup } from "../../../src/net/address-place.ts"
import type { Endpoint } from "../../../src/net/endpoint.ts"
import type { KnownNode } from "../../../src/p2p/addresses/table/known-node.ts"
import type { Attempt } from "../../../src/p2p/connections/dialer.ts"
import { outbound, type OutboundOptions } from "../../../src/p2p/connections/outbound.ts"
import type { Peer, PeerKind } from "../../../src/p2p/peer/peer.ts"
import { DialError } from "../../../src/p2p/transport/transport.ts"
import { unixMilliseconds, unixSeconds } from "../../../src/quantities.ts"
import { scriptedPeer } from "../sync/chain-model.ts"
import { endpoint } from "../transport/transport-suite.ts"

const NETWORK = 1n
const WITNESS = 1n << 3n
const LIMITED = 1n << 10n
const V2 = 1n << 11n
const FULL = NETWORK | WITNESS
const MINUTE = 60_000
const START = 1_700_000_000_000

const known = (text: string, more: Partial<KnownNode> = {}): KnownNode => {
  const at = endpoint(text)
  return { ...at, key: endpointKey(at), services: FULL, lastTry: 0, ...more } as KnownNode
}

const FIRST = known("20.0.0.1:8333")

interface World {
  readonly counts: Partial<Record<PeerKind, number>>
  /** What addrman chooses, one after another; the last one again and again. */
  readonly chosen: ReadonlyArray<KnownNode>
  readonly rival: KnownNode | undefined
  readonly isDownloading: boolean
  readonly groups: ReadonlySet<string>
  readonly networks: ReadonlySet<AddressKind>
  readonly reached: number
  readonly connected: string
  readonly banned: string
  readonly discouraged: string
  readonly listed: ReadonlyArray<Endpoint>
  readonly own: ReadonlyArray<Endpoint>
  readonly table: ReadonlyArray<Endpoint>
  readonly hasV2: boolean
  readonly offered: bigint
}

const FILLED = { "outbound-full-relay": 8, "block-relay-only": 2 } as const

const place = (more: Partial<World> = {}, options: Partial<OutboundOptions> = {}) => {
  let world: World = {
    counts: {},
    chosen: [FIRST],
    rival: undefined,
    isDownloading: false,
    groups: new Set(),
    networks: new Set(["ipv4", "ipv6"]),
    reached: 2,
    connected: "",
    banned: "",
    discouraged: "",
    listed: [],
    own: [],
    table: [FIRST],
    hasV2: true,
    offered: 0n,
    ...more
  }
  const clock = { now: START }
  const asked: Array<unknown> = []
  const attempted: Array<unknown> = []
  const peers = new Map<number, Peer>()
  const dialed: Array<Attempt> = []
  const said: Array<string> = []
  let done: (error: DialError | undefined) => void = () => undefined
  let collisions = 0
  const isAt = (text: string) => (address: Endpoint["address"]) =>
    text !== "" && endpointText({ address, port: 0 }) === `${text}:0`
  const made = outbound({
    context: {
      environment: {
        random: {
          below: () => 0,
          bytes: (count: number) => new Uint8Array(count),
          exponential: (mean: number) => mean
        },
        now: () => unixMilliseconds(clock.now)
      },
      chain: {
        state: () => ({
          initialBlockDownload: world.isDownloading,
          mockTime: 0,
          time: START / 1_000 - (world.isDownloading ? 144 : 143) * 600
        })
      },
      network: { parameters: { work: { targetSpacing: 600 } } },
      peers,
      notify: { trace: ({ text }: { readonly text: string }) => void said.push(text) },
      ...world.hasV2 ? { transportCrypto: {} } : {}
    } as unknown as OutboundOptions["context"],
    book: {
      table: { list: world.table },
      size: () => world.chosen.length,
      choose: (wanted: unknown) => {
        asked.push(wanted)
        return world.chosen[Math.min(asked.length, world.chosen.length) - 1]
      },
      chooseRival: () => world.rival,
      resolveCollisions: () => void collisions++,
      servicesOf: () => world.offered,
      attempted: (at: Endpoint, counts: boolean) => void attempted.push([endpointText(at), counts])
    } as unknown as OutboundOptions["book"],
    dialer: {
      dial: (attempt: Attempt, settle: typeof done) => {
        dialed.push(attempt)
        done = settle
        return true
      }
    } as unknown as OutboundOptions["dialer"],
    census: {
      count: (kind: PeerKind) => world.counts[kind] ?? 0,
      groups: () => world.groups,
      reached: () => world.reached,
      networks: () => world.networks,
      isConnectedTo: () => false,
      isConnectedToAddress: isAt(world.connected)
    },
    reputation: {
      isBanned: isAt(world.banned),
      discouraged: { has: isAt(world.discouraged) }
    } as unknown as OutboundOptions["reputation"],
    slots: { fullRelay: 8, blockRelay: 2, feelers: 1, inbound: 114 },
    isAutomatic: true,
    reachable: new Set(["ipv4", "ipv6"]),
    anchors: [],
    manual: { list: () => world.listed.map((at) => ({ text: "", endpoint: at, peer: undefined, failure: undefined })) },
    worthOf: () => ({ isProtected: false, isBusy: false, lastAnnouncement: 0 }),
    ownAddresses: () => world.own,
    ...options
  })
  return {
    ...made,
    asked,
    attempted,
    clock,
    collisions: () => collisions,
    change: (changed: Partial<World>) => {
      world = { ...world, ...changed }
    },
    dialed,
    done: (error: DialError | undefined) => done(error),
    peers,
    said,
    /** What is dialed after so many milliseconds. */
    after: (milliseconds: number): string => {
      dialed.length = 0
      clock.now = START + milliseconds
      made.tick(unixMilliseconds(clock.now))
      return dialed.map(({ endpoint: at, kind }) => `${kind} ${endpointText(at)}`).join()
    }
  }
}

/** Whether a node is dialed for a kind of connection, at which try. */
const triesFor = (node: KnownNode, kind: PeerKind, more: Partial<World> = {}): number => {
  const counts = kind === "outbound-full-relay" ? {} : kind === "feeler" ? FILLED : { "outbound-full-relay": 8 }
  const { after, asked } = place({ chosen: [node], counts, isDownloading: kind === "feeler", ...more })
  return after(kind === "feeler" ? 2 * MINUTE : 0) === "" ? 0 : asked.length
}

describe("which connection the node makes", () => {
  it("is for all, then for blocks alone, as long as slots are free, and none beyond them", () => {
    const { after, change } = place({ counts: { "outbound-full-relay": 7, "block-relay-only": 0 } })
    assert.strictEqual(after(0), "outbound-full-relay 20.0.0.1:8333")
    change({ counts: { "outbound-full-relay": 8, "block-relay-only": 1 } })
    assert.strictEqual(after(0), "block-relay-only 20.0.0.1:8333")
    change({ counts: FILLED })
    assert.strictEqual(after(0), "")
  })

  it("is one more for all while the tip may be stale, and no second one", () => {
    const { after, change, wantExtra } = place({ counts: FILLED })
    wantExtra(true)
    assert.strictEqual(after(0), "outbound-full-relay 20.0.0.1:8333")
    change({ counts: { ...FILLED, "outbound-full-relay": 9 } })
    assert.strictEqual(after(0), "")
    change({ counts: FILLED })
    wantExtra(false)
    assert.strictEqual(after(0), "")
  })

  it("is a feeler every two minutes, unless there is one", () => {
    const { after, change } = place({ counts: FILLED })
    assert.strictEqual(after(2 * MINUTE - 1), "")
    assert.strictEqual(after(2 * MINUTE), "feeler 20.0.0.1:8333")
    assert.strictEqual(after(4 * MINUTE - 1), "")
    change({ counts: { ...FILLED, feeler: 1 } })
    assert.strictEqual(after(4 * MINUTE), "")
    change({ counts: FILLED })
    assert.strictEqual(after(4 * MINUTE + 1), "feeler 20.0.0.1:8333")
  })

  it("is a peer for blocks beyond the slots every five minutes, unless the node downloads or has no such slots", () => {
    const { after } = place({ counts: { ...FILLED, feeler: 1 } })
    assert.strictEqual(after(5 * MINUTE - 1), "")
    assert.strictEqual(after(5 * MINUTE), "block-relay-only 20.0.0.1:8333")
    assert.strictEqual(after(10 * MINUTE - 1), "")
    assert.strictEqual(after(10 * MINUTE), "block-relay-only 20.0.0.1:8333")
    assert.strictEqual(place({ counts: { ...FILLED, feeler: 1 }, isDownloading: true }).after(5 * MINUTE), "")
    const none = place({ counts: { ...FILLED, feeler: 1 } }, {
      slots: { fullRelay: 8, blockRelay: 0, feelers: 1, inbound: 0 }
    })
    assert.strictEqual(none.after(5 * MINUTE), "")
  })

  it("is a peer in a known network without one every five minutes, while all eight slots are filled", () => {
    const six = known("[2a00::1]:8333")
    const lone: Partial<World> = {
      counts: { ...FILLED, feeler: 1 },
      isDownloading: true,
      networks: new Set(["ipv4"]),
      table: [FIRST, six],
      chosen: [six]
    }
    const { after, asked, change } = place(lone)
    assert.strictEqual(after(5 * MINUTE - 1), "")
    assert.strictEqual(after(5 * MINUTE), "outbound-full-relay [2a00::1]:8333")
    assert.deepStrictEqual(asked, [{ kinds: new Set(["ipv6"]) }])
    assert.strictEqual(after(10 * MINUTE - 1), "")
    change({ networks: new Set(["ipv4", "ipv6"]) })
    assert.strictEqual(after(10 * MINUTE), "")
    change(lone)
    assert.strictEqual(after(15 * MINUTE - 1), "", "the turn is over though no network was missing")
    assert.strictEqual(place({ ...lone, table: [FIRST] }).after(5 * MINUTE), "")
    assert.strictEqual(place(lone, { reachable: new Set(["ipv4"]) }).after(5 * MINUTE), "")
    const few = { slots: { fullRelay: 7, blockRelay: 2, feelers: 1, inbound: 0 } }
    assert.strictEqual(
      place({ ...lone, counts: { ...lone.counts, "outbound-full-relay": 7 } }, few).after(5 * MINUTE),
      ""
    )
    assert.strictEqual(place({ ...lone, counts: { ...lone.counts, "outbound-full-relay": 9 } }).after(5 * MINUTE), "")
  })

  it("is none where no address is known, or the node connects by the operator's word alone", () => {
    assert.strictEqual(place({ chosen: [] }).after(0), "")
    assert.strictEqual(place({}, { isAutomatic: false }).after(0), "")
  })
})

describe("peers for blocks of the last run", () => {
  const [one, two] = [endpoint("60.0.0.1:8333"), endpoint("61.0.0.1:8333")]

  it("are dialed first, the last one first, each once, while such slots are free", () => {
    const { after, change, said } = place({}, { anchors: [one, two] })
    assert.strictEqual(after(0), "block-relay-only 61.0.0.1:8333")
    change({ counts: { "block-relay-only": 2 } })
    assert.strictEqual(after(1), "outbound-full-relay 20.0.0.1:8333")
    change({ counts: { "block-relay-only": 1 } })
    assert.strictEqual(after(2), "block-relay-only 60.0.0.1:8333")
    assert.strictEqual(after(3), "outbound-full-relay 20.0.0.1:8333")
    assert.deepStrictEqual(
      said,
      [two, one].map((at) => `Trying to make an anchor connection to ${endpointText(at)}`)
    )
    assert.strictEqual(place({ chosen: [] }, { anchors: [one] }).after(0), "block-relay-only 60.0.0.1:8333")
  })

  it.each<readonly [string, Partial<World>, Partial<OutboundOptions>]>([
    ["connected", { connected: "61.0.0.1" }, {}],
    ["banned", { banned: "61.0.0.1" }, {}],
    ["discouraged", { discouraged: "61.0.0.1" }, {}],
    ["in no reachable network", { chosen: [known("[2a00::1]:8333")] }, { reachable: new Set(["ipv6"]) }]
  ])("are passed over when %s, for another connection at once", (_, more, options) => {
    assert.match(place(more, { ...options, anchors: [two] }).after(0), /^outbound-full-relay/)
  })
})

describe("an address that addrman chooses", () => {
  it("is any reachable one, for a feeler the rival of a collision or a new one", () => {
    const reachable = new Set(["ipv4", "ipv6"])
    const full = place()
    full.after(0)
    assert.deepStrictEqual([full.asked, full.collisions()], [[{ kinds: reachable }], 1])
    const feeler = place({ counts: FILLED })
    feeler.after(2 * MINUTE)
    assert.deepStrictEqual(feeler.asked, [{ onlyNew: true, kinds: reachable }])
    const rival = place({ counts: FILLED, rival: known("30.0.0.1:8333") })
    assert.strictEqual(rival.after(2 * MINUTE), "feeler 30.0.0.1:8333")
    assert.lengthOf(rival.asked, 0)
  })

  it.each<readonly [string, KnownNode, Partial<World>]>([
    ["connected to", FIRST, { connected: "20.0.0.1" }],
    ["banned", FIRST, { banned: "20.0.0.1" }],
    ["discouraged", FIRST, { discouraged: "20.0.0.1" }],
    ["this node's own", FIRST, { own: [FIRST] }],
    ["the operator's", FIRST, { listed: [FIRST] }],
    ["in no reachable network", known("[2a00::1]:8333"), {}]
  ])("is passed over when it is %s, a hundred times at most", (name, node, more) => {
    const { after, asked } = place(
      { chosen: [node], ...more },
      name.includes("network")
        ? { reachable: new Set<AddressKind>(["ipv4"]) }
        : {}
    )
    assert.deepStrictEqual([after(0), asked.length], ["", 100])
    const other = place({ chosen: [node, node, known("40.0.0.1:8333")], ...more }, {
      reachable: new Set<AddressKind>(["ipv4"])
    })
    assert.strictEqual(other.after(0), "outbound-full-relay 40.0.0.1:8333")
  })

  it("is of a network group without a connection, but for a feeler", () => {
    const groups = new Set([networkGroup(FIRST.address)])
    assert.strictEqual(triesFor(FIRST, "outbound-full-relay", { groups }), 0)
    assert.strictEqual(triesFor(FIRST, "block-relay-only", { groups }), 0)
    assert.strictEqual(triesFor(FIRST, "feeler", { groups }), 1)
  })

  it("was not tried for ten minutes, unless 29 others were looked at", () => {
    const tried = (seconds: number) => known("20.0.0.1:8333", { lastTry: unixSeconds(START / 1_000 - seconds) })
    assert.strictEqual(triesFor(tried(600), "outbound-full-relay"), 1)
    assert.strictEqual(triesFor(tried(599), "outbound-full-relay"), 30)
  })

  it("has a port of another service only where 49 others were looked at, or in an overlay network", () => {
    assert.strictEqual(triesFor(known("20.0.0.1:22"), "outbound-full-relay"), 50)
    assert.strictEqual(triesFor(known("20.0.0.1:22"), "feeler"), 50)
    const service = { network: AddressNetwork.TORV3, bytes: new Uint8Array(32).fill(7) }
    const reachable = new Set<AddressKind>(["onion"])
    const { after, asked } = place({ chosen: [{ ...known("20.0.0.1:22"), address: service }] }, { reachable })
    assert.match(after(0), /onion:22$/)
    assert.lengthOf(asked, 1)
  })

  it("offers what its connection is for", () => {
    const offering = (services: bigint) => known("20.0.0.1:8333", { services })
    const isDialed = (services: bigint, kind: PeerKind, isDownloading: boolean) =>
      triesFor(offering(services), kind, { isDownloading }) > 0
    for (const kind of ["outbound-full-relay", "block-relay-only"] as const) {
      assert.deepStrictEqual(
        [FULL, LIMITED | WITNESS, NETWORK, LIMITED, WITNESS, NETWORK | LIMITED | WITNESS].map((services) => [
          isDialed(services, kind, false),
          isDialed(services, kind, true)
        ]),
        [[true, true], [true, false], [false, false], [false, false], [false, false], [true, true]],
        kind
      )
    }
    assert.deepStrictEqual(
      [NETWORK, LIMITED, WITNESS, 0n].map((services) => isDialed(services, "feeler", true)),
      [true, true, false, false]
    )
  })
})

describe("an attempt", () => {
  it("begins with v2 where both sides speak it", () => {
    const begins = (hasV2: boolean, offered: bigint) => {
      const { after, dialed } = place({ hasV2, offered })
      after(0)
      return dialed[0]!.isV2
    }
    assert.deepStrictEqual(
      [begins(true, V2), begins(true, FULL), begins(false, V2)],
      [true, false, false]
    )
  })

  it("counts against the address while two others are reached, or all but one of few slots, and the proxy is there", () => {
    const counted = (reached: number, options: Partial<OutboundOptions> = {}, error?: DialError) => {
      const { after, attempted, done } = place({ reached }, options)
      after(0)
      done(error)
      return attempted
    }
    const at = "20.0.0.1:8333"
    const few = { slots: { fullRelay: 1, blockRelay: 1, feelers: 0, inbound: 0 } }
    assert.deepStrictEqual([1, 2, 3].map((reached) => counted(reached)), [[[at, false]], [[at, true]], [[at, true]]])
    assert.deepStrictEqual([0, 1].map((reached) => counted(reached, few)), [[[at, false]], [[at, true]]])
    assert.deepStrictEqual(counted(2, {}, new DialError({ message: "no", isProxy: false })), [[at, true]])
    assert.deepStrictEqual(counted(2, {}, new DialError({ message: "no", isProxy: true })), [])
  })
})

describe("a peer too many", () => {
  const crowd = (kind: PeerKind, count: number) => {
    const { after, change, peers, wantExtra } = place({ counts: FILLED })
    const reasons: Array<string> = []
    for (let id = 0; id < count; id++) {
      const peer = scriptedPeer(id, kind)
      peers.set(
        id,
        Object.assign(peer, { connectedAt: START - 60_000, disconnect: (why: string) => reasons.push(why) })
      )
    }
    wantExtra(true)
    return { after, change, reasons }
  }

  it("for all is disconnected; then the tip counts as stale no more", () => {
    const { after, reasons } = crowd("outbound-full-relay", 9)
    assert.strictEqual(after(0), "")
    assert.deepStrictEqual(reasons, ["one outbound peer too many"])
  })

  it("for blocks is disconnected, and a stale tip stays one", () => {
    const { after, reasons } = crowd("block-relay-only", 3)
    assert.strictEqual(after(0), "outbound-full-relay 20.0.0.1:8333")
    assert.deepStrictEqual(reasons, ["one peer for blocks too many"])
  })
})
