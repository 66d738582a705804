/** A block that somebody who is served here has found. */
export interface FoundBlock {
  /** In internal byte order. */
  readonly hash: Uint8Array
  readonly height: number
  /** Who found it, as the log says it. */
  readonly finder: string
  readonly block: () => Uint8Array
}
