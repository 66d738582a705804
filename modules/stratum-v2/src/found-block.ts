/** A block that a miner or client of this server has found. */
export interface FoundBlock {
  /** In internal byte order. */
  readonly hash: Uint8Array
  readonly height: number
  /** Who found it, as the log says it. */
  readonly finder: string
  readonly block: () => Uint8Array
}
