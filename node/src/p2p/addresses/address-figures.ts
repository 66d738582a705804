/** What happened to the addresses that a peer sent. */
export interface AddressFigures {
  readonly addr_relay_enabled: boolean
  readonly addr_processed: number
  readonly addr_rate_limited: number
}
