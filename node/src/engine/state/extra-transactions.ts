/** A transaction that is in no mempool and may be in a block all the same. */
export interface ExtraTransaction {
  readonly wtxid: Uint8Array
  readonly bytes: Uint8Array
}

/**
 * The last transactions that were refused, are orphans, or were replaced: other nodes may have accepted them
 * (Core: `vExtraTxnForCompact`).
 */
export interface ExtraTransactions {
  /** The oldest one goes for it. */
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
