import type { Milliseconds } from "../../../quantities.ts"

/** What happened to compact blocks since the start. */
export interface CompactFigures {
  /** Of those that peers sent and that were looked at. */
  received: number
  /** Put together, without a request and after one. */
  withoutRequest: number
  withRequest: number
  /** Not put together: because of a collision of short ids, other transactions than the header's, or a lie. */
  readonly failed: { collision: number; mismatch: number; impossible: number }
  /** Transactions of blocks that were put together, by where they came from. */
  readonly transactions: { prefilled: number; mempool: number; extra: number; requested: number }
  /** Bytes of those that were requested. */
  requestedBytes: number
  /** Sum of the milliseconds from the arrival of one to the acceptance of its block. */
  milliseconds: Milliseconds
  /** Sent unrequested: before the scripts were verified, and after. */
  readonly announced: { early: number; late: number }
}

/** What happened to compact blocks of one peer, and to those sent to it. */
export interface PeerCompactFigures {
  /** Looked at. */
  received: number
  /** Put together, without a request and after one. */
  withoutRequest: number
  withRequest: number
  /** Not put together. */
  failed: number
  /** Sent to it unrequested. */
  announced: number
}

export const peerCompactFigures = (): PeerCompactFigures => ({
  received: 0,
  withoutRequest: 0,
  withRequest: 0,
  failed: 0,
  announced: 0
})

export const compactFigures = (): CompactFigures => ({
  received: 0,
  withoutRequest: 0,
  withRequest: 0,
  failed: { collision: 0, mismatch: 0, impossible: 0 },
  transactions: { prefilled: 0, mempool: 0, extra: 0, requested: 0 },
  requestedBytes: 0,
  milliseconds: 0,
  announced: { early: 0, late: 0 }
})
