import type { PeerKind } from "../../../src/p2p/peer/peer.ts"
import { beginPeerSync } from "../../../src/p2p/sync/begin-peer-sync.ts"
import type { PeerSync } from "../../../src/p2p/sync/peer-sync.ts"
import type { SyncState } from "../../../src/p2p/sync/sync-state.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { type ScriptedPeer, scriptedPeer } from "./chain-model.ts"

export type MadePeerSync = PeerSync & { readonly peer: ScriptedPeer }

/**
 * What the sync knows of a peer that it was connected to long ago, but for what a test says; it is among those of
 * `sync`.
 */
export const madePeerSync = (sync: SyncState, kind: PeerKind, more: Partial<PeerSync> = {}): MadePeerSync => {
  const peer = scriptedPeer(sync.peers.size, kind)
  const made: MadePeerSync = {
    ...beginPeerSync(peer, sync.settings, unixMilliseconds(0)),
    isPreferred: true,
    servesBlocks: true,
    isLimited: false,
    servesWitnesses: true,
    syncStarted: true,
    hasSentHeaders: true,
    capacity: 16,
    ...more,
    peer
  }
  sync.peers.set(peer.id, made)
  return made
}
