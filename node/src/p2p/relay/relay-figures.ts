/** What the relay of transactions knows of a peer. */
export interface RelayFigures {
  /** Whether transactions are announced to it. */
  readonly relaytxes: boolean
  readonly last_inv_sequence: number
  readonly inv_to_send: number
  /** Satoshis for a thousand bytes: it wants no transaction that pays less. */
  readonly minfeefilter: bigint
  /** Whether it has set a bloom filter. */
  readonly isFiltered: boolean
}
