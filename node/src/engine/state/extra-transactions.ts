/** A transaction that is in no mempool but may be in a block. */
export interface ExtraTransaction {
  readonly wtxid: Uint8Array
  readonly bytes: Uint8Array
}

/**
 * The last transactions that were rejected, orphaned or replaced. Other nodes may have accepted them (Core:
 * `vExtraTxnForCompact`).
 */
export interface ExtraTransactions {
  /** Adds a transaction and drops the oldest one if needed. */
  readonly add: (transaction: ExtraTransaction) => void
  readonly all: () => Iterable<ExtraTransaction>
}

/** Keeps at most `most`. */
export const extraTransactions = (most: number): ExtraTransactions => {
  const ring: Array<ExtraTransaction> = []
  let next = 0
  return {
    add: (transaction) => {
      if (most === 0) return
      ring[next] = transaction
      next = (next + 1) % most
    },
    all: () => ring
  }
}
