import { PEER_LIMITS } from "./peer-limits.ts"

/** How much of a peer's traffic may wait, in bytes: what arrived before reading stops, and what is unsent before handling does. */
export interface PeerBuffers {
  readonly received: number
  readonly unsent: number
}

/** Unsent bytes above which a peer that does not read is disconnected: beyond what waits, as much as one answer may add. */
export const mostUnsent = ({ unsent }: PeerBuffers): number =>
  PEER_LIMITS.unsentAtAll.most + Math.max(0, unsent - PEER_LIMITS.unsent.most)

/** Those of Bitcoin Core. */
export const PEER_BUFFERS: PeerBuffers = { received: PEER_LIMITS.received.most, unsent: PEER_LIMITS.unsent.most }
