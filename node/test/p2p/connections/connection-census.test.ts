import { assert, describe, it } from "vitest"
import { takenForCjdns } from "@lockstep/protocol/wire/address/address-kind.ts"
import type { Endpoint } from "../../../src/net/endpoint.ts"
import { PREFIX_GROUPS } from "../../../src/net/net-groups.ts"
import { type ConnectionCensus, census } from "../../../src/p2p/connections/connection-census.ts"
import type { Peer, PeerKind } from "../../../src/p2p/peer/peer.ts"
import { scriptedPeer } from "../sync/chain-model.ts"
import { endpoint } from "../transport/transport-suite.ts"

const ONION = "pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion:8333"
const I2P = "ukeu3k5oycgaauneqgtnvselmt4yemvoilkln7jpvamvfx7dnkdq.b32.i2p:0"
const CJDNS = "[fc00:1:2:3:4:5:6:7]:8333"

const KINDS: ReadonlyArray<PeerKind> = [
  "inbound",
  "outbound-full-relay",
  "block-relay-only",
  "manual",
  "feeler",
  "addr-fetch",
  "private-broadcast"
]

interface Counted {
  readonly endpoint: Endpoint
  readonly kind: PeerKind
}

const to = (text: string, kind: PeerKind = "outbound-full-relay"): Counted => {
  const { address, port } = endpoint(text)
  return { endpoint: { address: takenForCjdns(address), port }, kind }
}

const counted = (
  { peers = [], retries = [], underWay = [] }: {
    readonly peers?: ReadonlyArray<Counted & Partial<Peer>>
    readonly retries?: ReadonlyArray<Counted>
    readonly underWay?: ReadonlyArray<Counted>
  }
): ConnectionCensus =>
  census(
    new Map(peers.map((each, id) => [id, Object.assign(scriptedPeer(id, each.kind), each)])),
    { underWay: new Map(underWay.map((each, i) => [String(i), each])), retries: () => retries } as never,
    PREFIX_GROUPS
  )

describe("the connections that are counted", () => {
  it("are those that are open, under way, or waiting for another attempt", () => {
    const all = counted({
      peers: [to("8.1.0.1:8333"), { ...to("8.2.0.1:8333"), isGone: true }],
      underWay: [to("8.3.0.1:8333")],
      retries: [to("8.4.0.1:8333"), to("8.4.0.1:8333", "manual")]
    })
    assert.deepStrictEqual(KINDS.map(all.count), [0, 3, 0, 1, 0, 0, 0])
    const connected = [1, 2, 3, 4].map((second) => all.isConnectedTo(endpoint(`8.${second}.0.1:8333`)))
    assert.deepStrictEqual(connected, [true, false, true, true])
  })

  it("include one that ended unanswered, to be dialed for v1, until it is", () => {
    const ended = (more: { readonly received?: number; readonly inbound?: boolean; readonly transport?: string }) => {
      const { inbound = false, received = 0, transport = "detecting" } = more
      const peer = { ...to("8.1.0.1:8333"), isGone: true, inbound, transport: { kind: () => transport } }
      const traffic = { ...scriptedPeer(0, "manual").traffic, bytesReceived: received }
      return counted({ peers: [{ ...peer, traffic } as never] }).count("outbound-full-relay")
    }
    assert.strictEqual(ended({}), 1)
    assert.deepStrictEqual([{ received: 1 }, { inbound: true }, { transport: "v1" }].map(ended), [0, 0, 0])
  })

  it("have a network group each where they last and go over IP, and one for each hidden service", () => {
    const places = KINDS.map((kind, i) => to(`8.${i + 1}.0.1:8333`, kind))
    const { groups, reached } = counted({ peers: places })
    const group = (second: number) => PREFIX_GROUPS.group(endpoint(`8.${second}.0.1:8333`).address)
    assert.deepStrictEqual([...groups()], [group(2), group(3), group(4)])
    assert.strictEqual(reached(), 3)
    const mixed = counted({
      peers: [to("8.1.0.1:8333"), to("8.1.9.9:8333", "manual"), to("[2a00:1:2:3::4]:8333")],
      underWay: [to(ONION, "manual"), to(I2P), to(CJDNS, "block-relay-only"), to(ONION, "feeler")]
    })
    assert.deepStrictEqual([mixed.groups().size, mixed.reached()], [2, 5])
  })

  it("have the networks of full-relay and manual ones", () => {
    const kinds = KINDS.filter((kind) => counted({ peers: [to(ONION, kind)] }).networks().has("onion"))
    assert.deepStrictEqual(kinds, ["outbound-full-relay", "manual"])
    const { networks } = counted({ peers: [to("8.1.0.1:8333"), to("[2a00:1:2:3::4]:1"), to(I2P), to(CJDNS)] })
    assert.deepStrictEqual([...networks()], ["ipv4", "ipv6", "i2p", "cjdns"])
    const unknown = {
      kind: "manual" as const,
      endpoint: { address: { network: 99, bytes: new Uint8Array(3) }, port: 1 }
    }
    assert.strictEqual(counted({ peers: [unknown] }).networks().size, 0)
  })

  it("are found by endpoint, or by address whatever the port", () => {
    const { isConnectedTo, isConnectedToAddress } = counted({ peers: [to("8.1.0.1:8333", "inbound")] })
    const found = (text: string) => [isConnectedTo(endpoint(text)), isConnectedToAddress(endpoint(text).address)]
    assert.deepStrictEqual(found("8.1.0.1:8333"), [true, true])
    assert.deepStrictEqual(found("8.1.0.1:8334"), [false, true])
    assert.deepStrictEqual(found("8.1.0.2:8333"), [false, false])
  })
})
