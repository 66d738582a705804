/** Figures of the transaction relay about a peer. */
export interface RelayFigures {
  /** True if transactions are announced to it. */
  readonly isAnnouncedTo: boolean
  readonly announcedSequence: number
  readonly waiting: number
  /** Its fee filter, in satoshis per 1,000 virtual bytes. */
  readonly leastFeerate: bigint
  /** True if it has set a Bloom filter. */
  readonly isFiltered: boolean
}
