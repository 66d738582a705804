import { assert, describe, it } from "vitest"
import { ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import { noTraffic } from "../../../src/p2p/peer/live-peer.ts"
import { connectedThrough, isForBlocks, isFullRelay, type Peer, type PeerKind } from "../../../src/p2p/peer/peer.ts"
import { mayAnnounce, offersPackages } from "../../../src/p2p/peer/session/own-version.ts"
import { servicesFor } from "../../../src/p2p/peer/session/services-for.ts"
import { scriptedPeer } from "../sync/chain-model.ts"
import { endpoint } from "../transport/transport-suite.ts"

const KINDS: ReadonlyArray<PeerKind> = [
  "inbound",
  "outbound-full-relay",
  "block-relay-only",
  "manual",
  "feeler",
  "addr-fetch",
  "private-broadcast"
]

const those = (is: (peer: Peer) => boolean): ReadonlyArray<PeerKind> =>
  KINDS.filter((kind) => is(scriptedPeer(1, kind)))

const permitted = (kind: PeerKind, ...permissions: ReadonlyArray<string>): Peer =>
  Object.assign(scriptedPeer(1, kind), { permissions: new Set(permissions) })

describe("what kind of peer is used for what", () => {
  it("blocks come from all that stay", () => {
    assert.deepStrictEqual(those(isForBlocks), ["inbound", "outbound-full-relay", "block-relay-only", "manual"])
  })

  it("addresses and transactions are relayed with all of those but block-relay-only ones", () => {
    assert.deepStrictEqual(those(isFullRelay), ["inbound", "outbound-full-relay", "manual"])
  })

  it("transactions may be announced by those and one asked for addresses; by permission though none are wanted", () => {
    const info = { userAgent: "", wantsTransactions: true }
    const may: ReadonlyArray<PeerKind> = ["inbound", "outbound-full-relay", "manual", "addr-fetch"]
    assert.deepStrictEqual(those((peer) => mayAnnounce(peer, info)), may)
    const none = { ...info, wantsTransactions: false }
    assert.deepStrictEqual(those((peer) => mayAnnounce(peer, none)), [])
    assert.deepStrictEqual(KINDS.filter((kind) => mayAnnounce(permitted(kind, "relay"), none)), may)
  })

  it("packages are offered where the node relays them and transactions may be announced", () => {
    const offered = (relaysPackages: boolean | undefined, wantsTransactions = true) =>
      those((peer) => offersPackages(peer, { userAgent: "", wantsTransactions, relaysPackages }))
    assert.deepStrictEqual(offered(true), ["inbound", "outbound-full-relay", "manual", "addr-fetch"])
    assert.deepStrictEqual([offered(false), offered(undefined), offered(true, false)], [[], [], []])
  })

  it("bloom filters are offered to those that an operator permits them, beside what all are offered", () => {
    const all = ServiceFlag.NETWORK | ServiceFlag.WITNESS
    const offered = (...permissions: ReadonlyArray<string>) =>
      servicesFor(permitted("inbound", ...permissions), { services: () => all })
    assert.deepStrictEqual([offered(), offered("relay"), offered("bloomfilter")], [all, all, all | ServiceFlag.BLOOM])
  })

  it("the network is that of the address, or the one that its connection came through", () => {
    const peer = (network?: "onion") => ({ endpoint: endpoint("8.8.8.8:8333"), network })
    assert.deepStrictEqual([connectedThrough(peer()), connectedThrough(peer("onion"))], ["ipv4", "onion"])
  })

  it("nothing has gone over a connection at first", () => {
    const { bytesReceived, bytesSent, lastBlock, lastReceive, lastSend, lastTransaction } = noTraffic()
    assert.deepStrictEqual([bytesReceived, bytesSent, lastBlock, lastReceive, lastSend, lastTransaction], [
      0,
      0,
      0,
      0,
      0,
      0
    ])
  })
})
