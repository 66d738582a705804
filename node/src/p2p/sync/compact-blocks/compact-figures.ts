import type { Milliseconds } from "../../../quantities.ts"

/** Counts of compact blocks since the start. */
export interface CompactFigures {
  /** Compact blocks from peers that were processed. */
  received: number
  /** Reconstructed blocks, without a request and after one. */
  withoutRequest: number
  withRequest: number
  /**
   * Failed reconstructions: a collision of short ids, transactions that do not match the header, or an invalid compact
   * block.
   */
  readonly failed: { collision: number; mismatch: number; impossible: number }
  /** Transactions of reconstructed blocks, by source. */
  readonly transactions: { prefilled: number; mempool: number; extra: number; requested: number }
  /** Bytes of the requested transactions. */
  requestedBytes: number
  /** Sum of the milliseconds from the arrival of a compact block to the acceptance of its block. */
  milliseconds: Milliseconds
  /** Compact blocks sent unrequested: before the scripts were verified, and after. */
  readonly announced: { early: number; late: number }
}

/** Counts of the compact blocks from one peer, and of those sent to it. */
export interface PeerCompactFigures {
  /** Compact blocks that were processed. */
  received: number
  /** Reconstructed blocks, without a request and after one. */
  withoutRequest: number
  withRequest: number
  /** Failed reconstructions. */
  failed: number
  /** Compact blocks sent to it unrequested. */
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
