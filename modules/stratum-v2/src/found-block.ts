/** A block found by a miner or client of this server. */
export interface FoundBlock {
  /** Hash in internal byte order. */
  readonly hash: Uint8Array
  readonly height: number
  /** Name of the finder for the log. */
  readonly finder: string
  readonly block: () => Uint8Array
}
