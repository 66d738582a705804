/** What one hostile connection does, again and again. */
export interface Attack {
  readonly what: string
  /** Said at once. */
  readonly opening: ReadonlyArray<Uint8Array>
  /** Said after that, one after another and again from the first. */
  readonly flood: ReadonlyArray<Uint8Array>
  /** Bytes a second, where it is not the pace of all. */
  readonly pace?: number
  /** It never reads. */
  readonly isDeaf?: boolean
  /** It leaves as soon as it is there. */
  readonly leaves?: boolean
}
