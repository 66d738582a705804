import { assert, describe, it } from "vitest"
import type { PeerKind } from "../../../src/p2p/peer/peer.ts"
import { beginPeerSync } from "../../../src/p2p/sync/begin-peer-sync.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { scriptedPeer } from "./chain-model.ts"
import { SETTINGS } from "./sync-session.ts"

const NOW = unixMilliseconds(1_700_000_000_000)

const begun = (kind: PeerKind = "outbound-full-relay", services = 9n, more: object = {}) =>
  beginPeerSync(Object.assign(scriptedPeer(1, kind, services), more), SETTINGS, NOW)

describe("what the sync knows of a peer after its handshake", () => {
  it("is nothing of its chain, and that it owes nothing", () => {
    const { inFlight, lost, peer, ...rest } = begun()
    assert.deepStrictEqual([peer.id, inFlight.size, lost.size], [1, 0, 0])
    assert.deepStrictEqual(rest, {
      isPreferred: true,
      servesBlocks: true,
      isLimited: false,
      servesWitnesses: true,
      best: undefined,
      unknown: undefined,
      common: undefined,
      bestSent: undefined,
      syncStarted: false,
      headersDeadline: Infinity,
      askedForHeaders: 0,
      hasSentHeaders: false,
      askedEarly: false,
      headersDoneSince: 0,
      headersFailures: 0,
      presync: undefined,
      downloadingSince: 0,
      stallingSince: 0,
      lateBlocks: 0,
      pausedUntil: 0,
      capacity: 16,
      arrived: 0,
      measuredSince: NOW,
      interval: Infinity,
      isHeldUp: false,
      heldUpBy: 0,
      announcements: [],
      chainSync: { timeout: 0, goal: undefined, askedForHeaders: false, isProtected: false },
      askedToPreferHeaders: false,
      isHighBandwidth: false,
      compactBlocks: { received: 0, withoutRequest: 0, withRequest: 0, failed: 0, announced: 0 },
      lastAnnouncement: 0
    })
  })

  it("is whether it serves blocks, which of them, and with their witnesses", () => {
    const flags = (services: bigint, kind?: PeerKind) => {
      const { isLimited, servesBlocks, servesWitnesses } = begun(kind, services)
      return [servesBlocks, isLimited, servesWitnesses]
    }
    assert.deepStrictEqual(flags(1n), [true, false, false])
    assert.deepStrictEqual(flags(0x408n), [true, true, true])
    assert.deepStrictEqual(flags(8n), [false, true, true])
    assert.deepStrictEqual(flags(0n), [false, true, false])
    assert.deepStrictEqual(flags(9n, "feeler"), [false, false, true])
    assert.deepStrictEqual(flags(9n, "addr-fetch"), [true, false, true])
    assert.isFalse(begun("addr-fetch", 9n).isPreferred)
    const { isPreferred, servesBlocks } = begun("outbound-full-relay", 9n, { hello: undefined })
    assert.deepStrictEqual([isPreferred, servesBlocks], [false, false])
  })

  it("is that it is preferred where this node chose it, or trusts it, and it serves blocks", () => {
    assert.deepStrictEqual(
      [
        begun("block-relay-only"),
        begun("manual"),
        begun("inbound"),
        begun("inbound", 9n, { isTrusted: true }),
        begun("inbound", 8n, { isTrusted: true }),
        begun("manual", 8n)
      ].map(({ isPreferred }) => isPreferred),
      [true, true, false, true, false, false]
    )
  })
})
