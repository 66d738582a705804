/** How a miner's difficulty follows its speed. */
export interface VardiffRules {
  /** Seconds from one share to the next. */
  readonly shareSeconds: number
  readonly least: number
}

/** Shares, or intervals of shares, after which a difficulty is judged. */
const ENOUGH_SHARES = 12

/** A difficulty moves by this factor at most. */
const MOST_CHANGE = 4

/** So far from the wanted pace a difficulty is left as it is. */
const TOLERANCE = 1.5

/** The difficulty of a miner that sent so many shares at one difficulty in so many seconds; nothing where it stays. */
export const nextDifficulty = (
  { least, shareSeconds }: VardiffRules,
  current: number,
  shares: number,
  seconds: number
): number | undefined => {
  const isJudged = shares >= ENOUGH_SHARES || seconds >= ENOUGH_SHARES * shareSeconds
  if (!isJudged) return undefined
  const pace = (Math.max(shares, 0.5) * shareSeconds) / Math.max(seconds, 1e-3)
  if (pace < TOLERANCE && pace > 1 / TOLERANCE) return undefined
  const wanted = Math.max(least, current * Math.min(MOST_CHANGE, Math.max(1 / MOST_CHANGE, pace)))
  return wanted === current ? undefined : wanted
}
