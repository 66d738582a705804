import { assert, describe, it } from "vitest"
import { type DisconnectReason, disconnectText } from "../../../src/runtime/disconnect-reason.ts"
import { endpointText } from "../../../src/net/endpoint-text.ts"
import type { OutboundOptions } from "../../../src/p2p/connections/outbound.ts"
import type { PeerKind } from "../../../src/p2p/peer/peer.ts"
import { scriptedPeer } from "../sync/chain-model.ts"
import { endpoint } from "../transport/transport-suite.ts"
import { FILLED, FIRST, known, MINUTE, place, START, type World } from "./outbound-place.ts"

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

  it("is with a node that followed another chain only where fifty draws find no other", () => {
    const other = known("20.1.0.1:8333")
    const { after, change } = place({ chosen: [FIRST, FIRST, other], foreign: "20.0.0.1" })
    assert.strictEqual(after(0), "outbound-full-relay 20.1.0.1:8333")
    change({ chosen: [FIRST] })
    assert.strictEqual(after(0), "outbound-full-relay 20.0.0.1:8333")
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
    assert.strictEqual(
      after(10 * MINUTE + 1),
      "outbound-full-relay [2a00::1]:8333",
      "its turn came when none was missing"
    )
    assert.strictEqual(after(15 * MINUTE), "")
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

describe("a peer too many", () => {
  const crowd = (kind: PeerKind, count: number) => {
    const { after, change, peers, wantExtra } = place({ counts: FILLED })
    const reasons: Array<string> = []
    for (let id = 0; id < count; id++) {
      const peer = scriptedPeer(id, kind)
      peers.set(
        id,
        Object.assign(peer, {
          connectedAt: START - 60_000,
          disconnect: (why: DisconnectReason) => reasons.push(disconnectText(why))
        })
      )
    }
    wantExtra(true)
    return { after, change, reasons }
  }

  it("for all is disconnected; then the tip counts as stale no more", () => {
    const { after, reasons } = crowd("outbound-full-relay", 9)
    after(44_999)
    assert.deepStrictEqual(reasons, [], "it is looked at every 45 seconds")
    assert.strictEqual(after(45_000), "")
    assert.deepStrictEqual(reasons, ["one outbound peer too many"])
  })

  it("for blocks is disconnected, and a stale tip stays one", () => {
    const { after, reasons } = crowd("block-relay-only", 3)
    assert.strictEqual(after(45_000), "outbound-full-relay 20.0.0.1:8333")
    assert.deepStrictEqual(reasons, ["one peer for blocks too many"])
  })
})
