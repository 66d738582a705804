import type { PeerKind } from "../../../src/p2p/peer/peer.ts"
import type { PeerSync } from "../../../src/p2p/sync/peer-sync.ts"
import type { SyncState } from "../../../src/p2p/sync/sync-state.ts"
import { type ScriptedPeer, scriptedPeer } from "./chain-model.ts"

export type MadePeerSync = PeerSync & { readonly peer: ScriptedPeer }

/**
 * What the sync knows of a peer that it was connected to long ago, but for what a test says; it is among those of
 * `sync`.
 */
export const madePeerSync = (sync: SyncState, kind: PeerKind, more: Partial<PeerSync> = {}): MadePeerSync => {
  const peer = scriptedPeer(sync.peers.size, kind)
  const made: MadePeerSync = {
    isPreferred: true,
    servesBlocks: true,
    isLimited: false,
    servesWitnesses: true,
    best: undefined,
    unknown: undefined,
    common: undefined,
    bestSent: undefined,
    syncStarted: true,
    headersDeadline: Infinity,
    askedForHeaders: 0,
    hasSentHeaders: true,
    askedEarly: false,
    headersDoneSince: 0,
    headersFailures: 0,
    presync: undefined,
    inFlight: new Map(),
    downloadingSince: 0,
    stallingSince: 0,
    lateBlocks: 0,
    pausedUntil: 0,
    capacity: 16,
    arrived: 0,
    measuredSince: 0,
    interval: Infinity,
    lost: new Set(),
    isHeldUp: false,
    heldUpBy: 0,
    announcements: [],
    chainSync: { timeout: 0, goal: undefined, askedForHeaders: false, isProtected: false },
    askedToPreferHeaders: false,
    isHighBandwidth: false,
    lastAnnouncement: 0,
    ...more,
    peer
  }
  sync.peers.set(peer.id, made)
  return made
}
