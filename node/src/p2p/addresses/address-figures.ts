/** Counts of the addresses that a peer sent. */
export interface AddressFigures {
  readonly isRelayed: boolean
  readonly processed: number
  readonly limited: number
}
