/** Shares of one tip that are remembered, so that none counts twice. */
export interface KnownShares {
  /** Whether a share is new; from then on it is known. */
  readonly isNew: (key: string) => boolean
  /** Whether there is no room for another. */
  readonly isFull: () => boolean
  /** The tip has changed: what was known is worth nothing. */
  readonly clear: () => void
}

const MOST_SHARES = 100_000

export const openKnownShares = (): KnownShares => {
  const known = new Set<string>()
  return {
    isNew: (key) => known.size < known.add(key).size,
    isFull: () => known.size >= MOST_SHARES,
    clear: () => known.clear()
  }
}
