/** What the relay of transactions knows of a peer. */
export interface RelayFigures {
  /** Whether transactions are announced to it. */
  readonly isAnnouncedTo: boolean
  readonly announcedSequence: number
  readonly waiting: number
  /** Satoshis for a thousand bytes: it wants no transaction that pays less. */
  readonly leastFeerate: bigint
  /** Whether it has set a bloom filter. */
  readonly isFiltered: boolean
}
