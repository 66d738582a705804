import { assert, describe, it } from "@effect/vitest"
import { extraPeersToEvict, type PeerWorth } from "../../../src/p2p/connections/extra-peer-eviction.ts"
import type { Peer, PeerKind } from "../../../src/p2p/peer/peer.ts"
import { endpoint } from "../transport/transport-suite.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"

const NOW = 1_700_193_573_000
const SLOTS = { fullRelay: 2, blockRelay: 2, feelers: 1, inbound: 10 }

interface Sketch extends Partial<PeerWorth> {
  readonly kind?: PeerKind
  readonly at?: string
  readonly lastBlock?: number
  readonly age?: number
  readonly isGone?: boolean
}

/** The ids of those that are let go of these peers, whose ids are their places. */
const freeCell = (...sketches: ReadonlyArray<Sketch>): ReadonlyArray<number> => {
  const peers = sketches.map((
    { age = 60_000, at = "20.1.1.1:1", isGone = false, kind = "outbound-full-relay", lastBlock = 0 },
    id
  ) => ({ id, kind, isGone, endpoint: endpoint(at), connectedAt: NOW - age, traffic: { lastBlock } }) as Peer)
  const worthOf = ({ id }: Peer): PeerWorth => ({
    isProtected: false,
    isBusy: false,
    lastAnnouncement: 0,
    ...sketches[id]
  })
  return extraPeersToEvict(peers, SLOTS, worthOf, unixMilliseconds(NOW)).map(({ peer }) => peer.id)
}

const blocks: Sketch = { kind: "block-relay-only" }

describe("peers that are one too many", () => {
  it("are none while there is room for all, and those that are gone do not count", () => {
    assert.deepStrictEqual(freeCell({}, {}, blocks, blocks, { kind: "manual" }, { kind: "inbound" }), [])
    assert.deepStrictEqual(freeCell({}, {}, { isGone: true }), [])
  })

  it("full-relay: the peer that announced a block longest ago, and of equals the one that came last", () => {
    assert.deepStrictEqual(freeCell({ lastAnnouncement: 9 }, { lastAnnouncement: 7 }, { lastAnnouncement: 8 }), [1])
    assert.deepStrictEqual(freeCell({}, {}, {}), [2])
  })

  it("for everything: never one that is to stay whatever comes, nor the only one of its network", () => {
    assert.deepStrictEqual(freeCell({ lastAnnouncement: 9 }, { isProtected: true }, { lastAnnouncement: 8 }), [2])
    assert.deepStrictEqual(freeCell({ lastAnnouncement: 9 }, { at: "[2a01:4f8::1]:1" }, { lastAnnouncement: 8 }), [2])
    assert.deepStrictEqual(
      freeCell({ lastAnnouncement: 9 }, { at: "[2a01:4f8::1]:1" }, {}, { at: "[2a02::1]:1", kind: "manual" }),
      [2]
    )
    assert.deepStrictEqual(
      freeCell({ lastAnnouncement: 9 }, {}, { at: "[2a01:4f8::1]:1" }, { at: "[2a02::1]:1", kind: "manual" }),
      [2],
      "a manual peer of its network counts"
    )
    assert.deepStrictEqual(freeCell({ isProtected: true }, { isProtected: true }, { isProtected: true }), [])
  })

  it("wait until they have had half a minute, and while blocks come from them", () => {
    assert.deepStrictEqual(freeCell({ lastAnnouncement: 9 }, { lastAnnouncement: 8 }, { age: 29_999 }), [])
    assert.deepStrictEqual(freeCell({ lastAnnouncement: 9 }, { lastAnnouncement: 8 }, { age: 30_000 }), [2])
    assert.deepStrictEqual(freeCell({ lastAnnouncement: 9 }, { lastAnnouncement: 8 }, { isBusy: true }), [])
    assert.deepStrictEqual(freeCell(blocks, blocks, { ...blocks, age: 29_999 }), [])
    assert.deepStrictEqual(freeCell(blocks, blocks, { ...blocks, isBusy: true }), [])
  })

  it("for blocks: the youngest, unless it brought a newer block than the one before it", () => {
    assert.deepStrictEqual(
      freeCell({ ...blocks, lastBlock: 1 }, { ...blocks, lastBlock: 9 }, { ...blocks, lastBlock: 9 }),
      [2]
    )
    assert.deepStrictEqual(
      freeCell({ ...blocks, lastBlock: 1 }, { ...blocks, lastBlock: 8 }, { ...blocks, lastBlock: 9 }),
      [1]
    )
  })
})
