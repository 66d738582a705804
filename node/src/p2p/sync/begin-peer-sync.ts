import { offers, ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import type { UnixMilliseconds } from "../../quantities.ts"
import { peerCompactFigures } from "./compact-blocks/compact-figures.ts"
import { isForBlocks, type Peer } from "../peer/peer.ts"
import { firstCapacity } from "./blocks/blocks-in-flight.ts"
import type { PeerSync } from "./peer-sync.ts"
import type { SyncSettings } from "./sync-state.ts"

/** Makes the sync state of a peer whose handshake is complete. */
export const beginPeerSync = (peer: Peer, settings: SyncSettings, now: UnixMilliseconds): PeerSync => {
  const services = peer.hello?.services ?? 0n
  const isWhole = offers(services, ServiceFlag.NETWORK)
  // As in Bitcoin Core, an addr-fetch peer is asked too, but only once nothing but new blocks is missing.
  const isOfUse = isForBlocks(peer) || peer.kind === "addr-fetch"
  const servesBlocks = isOfUse && (isWhole || offers(services, ServiceFlag.NETWORK_LIMITED))
  return {
    peer,
    isPreferred: servesBlocks && isForBlocks(peer) && (!peer.inbound || peer.isTrusted),
    servesBlocks,
    isLimited: !isWhole,
    servesWitnesses: offers(services, ServiceFlag.WITNESS),
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
    inFlight: new Map(),
    downloadingSince: 0,
    stallingSince: 0,
    lateBlocks: 0,
    pausedUntil: 0,
    capacity: firstCapacity(settings),
    arrived: 0,
    measuredSince: now,
    interval: Infinity,
    lost: new Set(),
    isHeldUp: false,
    heldUpBy: 0,
    announcements: [],
    chainSync: { timeout: 0, goal: undefined, askedForHeaders: false, isProtected: false },
    askedToPreferHeaders: false,
    isHighBandwidth: false,
    compactBlocks: peerCompactFigures(),
    lastAnnouncement: 0
  }
}
