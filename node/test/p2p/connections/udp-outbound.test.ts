import { assert, describe, it } from "vitest"
import { type Endpoint, transportNameOf, type TransportName } from "../../../src/net/endpoint.ts"
import { endpointText, parseNode } from "../../../src/net/endpoint-text.ts"
import { type NetGroups, PREFIX_GROUPS } from "../../../src/net/net-groups.ts"
import type { Attempt } from "../../../src/p2p/connections/dialer.ts"
import { udpOutboundTick } from "../../../src/p2p/connections/udp-outbound.ts"
import type { PeerKind } from "../../../src/p2p/peer/peer.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { chainModel, scriptedPeer } from "../sync/chain-model.ts"

const node = (text: string): Endpoint => parseNode(text, 8_333)!
const iroh = (place: string, digits = "ab"): Endpoint => node(`iroh://${digits.repeat(32)}@${place}:8333`)
const QUIC = node("quic://20.0.0.9:8333")

interface Connected {
  readonly endpoint: Endpoint
  readonly kind?: PeerKind
  readonly isGone?: boolean
}

interface Place {
  readonly transportNames?: ReadonlyArray<TransportName>
  readonly fullRelay?: number
  readonly peers?: ReadonlyArray<Connected>
  readonly underWay?: ReadonlyArray<Connected>
  /** Full-relay connections, those over TCP among them. */
  readonly counted?: number
  readonly groups?: ReadonlyArray<string>
  /** How addresses are grouped; none: by their first bytes. */
  readonly grouping?: NetGroups
  readonly banned?: ReadonlyArray<string>
  readonly discouraged?: ReadonlyArray<string>
  readonly listening?: ReadonlyArray<Endpoint>
  /** What the book knows. */
  readonly known?: ReadonlyArray<Endpoint>
}

const place = (
  {
    banned = [],
    counted = 0,
    discouraged = [],
    fullRelay = 8,
    grouping,
    groups = [],
    known = [iroh("20.0.0.1")],
    listening = [],
    peers = [],
    underWay = [],
    transportNames = ["tcp", "quic", "iroh"]
  }: Place = {}
) => {
  const { context } = chainModel(1_700_000_000)
  const dialed: Array<Attempt> = []
  const attempts: Array<readonly [place: string, isReached: boolean]> = []
  let done: ((error: unknown) => void) | undefined
  const isIn = (places: ReadonlyArray<string>) => ({ bytes }: { readonly bytes: Uint8Array }) =>
    places.includes(bytes.join("."))
  const tick = udpOutboundTick({
    book: {
      choose: (isFree: (endpoint: Endpoint) => boolean) => known.find(isFree),
      attempted: (endpoint: Endpoint, isReached: boolean) => void attempts.push([endpointText(endpoint), isReached])
    } as never,
    census: {
      count: (kind: PeerKind) => kind === "outbound-full-relay" ? counted : 0,
      groups: () => new Set(groups.map((text) => PREFIX_GROUPS.group(node(text).address)))
    } as never,
    context: {
      ...context,
      ...grouping === undefined ? {} : { groups: grouping },
      peers: new Map(peers.map(({ endpoint, isGone = false, kind = "outbound-full-relay" }, id) => [
        id,
        Object.assign(scriptedPeer(id, kind), { endpoint, isGone })
      ]))
    },
    dialer: {
      underWay: new Map(underWay.map(({ endpoint, kind = "outbound-full-relay" }, i) => [i, { endpoint, kind }])),
      dial: (attempt: Attempt, then: (error: unknown) => void) => {
        dialed.push(attempt)
        done = then
        return true
      }
    } as never,
    listening: () => listening,
    reputation: { isBanned: isIn(banned), discouraged: { has: isIn(discouraged) } } as never,
    slots: { fullRelay, blockRelay: 2, feelers: 1, inbound: 100 },
    transportNames
  })
  return {
    attempts,
    dialed,
    end: (error?: Error) => done!(error),
    tick: (at: number) => {
      tick(unixMilliseconds(at))
      return dialed.length
    }
  }
}

/** Whether a node is dialed there. */
const dials = (at: Place): boolean => place(at).tick(1_000) > 0

describe("nodes over QUIC and Iroh are dialed", () => {
  it("one every five seconds, as full-relay peers, and the book learns how it went", () => {
    const { attempts, dialed, end, tick } = place()
    assert.deepStrictEqual([0, 1, 4_999, 5_000, 5_001, 10_000].map(tick), [1, 1, 1, 2, 2, 3])
    const [first] = dialed
    assert.deepStrictEqual(first, { endpoint: iroh("20.0.0.1"), kind: "outbound-full-relay", isV2: false })
    end()
    end(new Error("down"))
    const text = endpointText(first!.endpoint)
    assert.deepStrictEqual(attempts, [[text, true], [text, false]])
  })

  it("until there are two beside TCP, open or begun", () => {
    const [a, b] = [iroh("21.0.0.1", "01"), node("quic://22.0.0.1:8333")]
    assert.isTrue(dials({ peers: [{ endpoint: a }] }))
    assert.isFalse(dials({ peers: [{ endpoint: a }, { endpoint: b }] }))
    assert.isFalse(dials({ peers: [{ endpoint: a }], underWay: [{ endpoint: b }] }))
    assert.isTrue(dials({ peers: [{ endpoint: a }, { endpoint: b, isGone: true }] }))
    assert.isTrue(dials({ peers: [{ endpoint: a }, { endpoint: b, kind: "manual" }] }))
    assert.isTrue(dials({ peers: [{ endpoint: a }], underWay: [{ endpoint: node("22.0.0.1:8333") }] }))
    assert.isFalse(dials({ fullRelay: 1, peers: [{ endpoint: a }] }))
  })

  it("in all slots where there is no TCP, and in none that TCP has filled", () => {
    const three = ["01", "02", "03"].map((digits, i) => ({ endpoint: iroh(`2${i + 1}.0.0.1`, digits) }))
    assert.isTrue(dials({ peers: three, transportNames: ["quic", "iroh"], fullRelay: 4 }))
    assert.isFalse(dials({ peers: three, transportNames: ["quic", "iroh"], fullRelay: 3 }))
    assert.isTrue(dials({ counted: 7 }))
    assert.isFalse(dials({ counted: 8 }))
  })

  it("over the transports that are allowed", () => {
    assert.strictEqual(transportNameOf(QUIC), "quic")
    assert.isFalse(dials({ known: [QUIC], transportNames: ["tcp", "iroh"] }))
    assert.isFalse(dials({ known: [iroh("20.0.0.1")], transportNames: ["tcp", "quic"] }))
    assert.isTrue(dials({ known: [iroh("20.0.0.1")], transportNames: ["iroh"] }))
  })

  it("where the address is neither banned nor discouraged", () => {
    for (const what of ["banned", "discouraged"] as const) {
      assert.isFalse(dials({ [what]: ["20.0.0.1"] }))
      assert.isTrue(dials({ [what]: ["20.0.0.2"] }))
    }
  })

  it("once each, whatever the place, and never this node itself", () => {
    const taken = { endpoint: iroh("30.0.0.1"), kind: "inbound" as const }
    assert.isFalse(dials({ peers: [taken] }))
    assert.isTrue(dials({ peers: [{ ...taken, endpoint: iroh("30.0.0.1", "cd") }] }))
    assert.isFalse(dials({ listening: [iroh("20.0.0.1")] }))
    assert.isTrue(dials({ listening: [iroh("20.0.0.1", "cd")] }))
    const named = (identity: string, at = "20.0.0.9"): Endpoint => ({
      ...node(`quic://${at}:8333`),
      quic: { identity }
    })
    const one = { endpoint: named("one", "30.0.0.1"), kind: "inbound" as const }
    assert.isFalse(dials({ known: [named("one")], peers: [one] }))
    assert.isTrue(dials({ known: [named("two")], peers: [one] }))
  })

  it("in a network group that no other connection is in, but for this machine", () => {
    assert.isFalse(dials({ groups: ["20.0.7.7:1"] }))
    assert.isTrue(dials({ groups: ["20.1.0.1:1"] }))
    assert.isTrue(dials({ groups: ["127.0.0.1:1"], known: [iroh("127.0.0.1")] }))
    const group = () => PREFIX_GROUPS.group(node("21.0.0.1:1").address)
    assert.isFalse(dials({ groups: ["21.0.0.1:1"], grouping: { ...PREFIX_GROUPS, group } }))
  })
})
