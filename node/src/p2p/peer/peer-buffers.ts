import { PEER_LIMITS } from "./peer-limits.ts"

/**
 * Limits of a peer's buffers in bytes: received bytes before reading stops, and unsent bytes before processing stops.
 */
export interface PeerBuffers {
  readonly received: number
  readonly unsent: number
}

/**
 * Returns the limit on unsent bytes at which a peer that does not read is disconnected: the buffer and one more answer.
 */
export const mostUnsent = ({ unsent }: PeerBuffers): number =>
  PEER_LIMITS.unsentAtAll.most + Math.max(0, unsent - PEER_LIMITS.unsent.most)

/** Bitcoin Core's limits. */
export const PEER_BUFFERS: PeerBuffers = { received: PEER_LIMITS.received.most, unsent: PEER_LIMITS.unsent.most }
