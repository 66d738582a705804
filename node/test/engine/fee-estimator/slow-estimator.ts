/**
 * A second reading of what a horizon is: all events are kept, and each average is a sum of powers over all of them. No
 * counter is carried on. Only for heights above the highest target, where no slot is used twice.
 */
export interface Life {
  readonly entered: number
  readonly feerate: number
  /** The best height when it left the mempool; none: it is still there. */
  left?: number
  isConfirmed?: boolean
}

export interface SlowHorizon {
  readonly decay: number
  readonly scale: number
  readonly periods: number
  readonly sufficient: number
}

interface Counts {
  readonly confirmed: number
  readonly within: number
  readonly failed: number
  readonly waiting: number
  readonly feerates: number
}

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)

const countsOf = (lives: ReadonlyArray<Life>, best: number, target: number, horizon: SlowHorizon): Counts => {
  const { decay, periods, scale } = horizon
  const reach = Math.ceil(target / scale)
  const weight = ({ left }: Life): number => decay ** (best - left!)
  const confirmed = lives.filter(({ isConfirmed }) => isConfirmed === true)
  const within = confirmed.filter(({ entered, left }) => Math.ceil((left! - entered) / scale) <= reach)
  const failed = lives.filter(({ entered, isConfirmed, left }) =>
    isConfirmed === false && Math.min(Math.floor((left! - entered) / scale), periods) >= reach
  )
  return {
    confirmed: sum(confirmed.map(weight)),
    within: sum(within.map(weight)),
    failed: sum(failed.map(weight)),
    waiting: lives.filter(({ entered, left }) => left === undefined && best - entered >= target).length,
    feerates: sum(confirmed.map((life) => life.feerate * weight(life)))
  }
}

const isIn = (life: Life, bounds: ReadonlyArray<number>, bucket: number): boolean =>
  life.feerate <= bounds[bucket]! && (bucket === 0 || life.feerate > bounds[bucket - 1]!)

const isTie = (a: number, b: number): boolean => Math.abs(a - b) < 1e-9 * Math.abs(b)

/**
 * The median that the demand finds, by whole ranges: undefined where none passes, and a tie where the last bits of two
 * sums decide.
 */
export const slowMedian = (
  lives: ReadonlyArray<Life>,
  bounds: ReadonlyArray<number>,
  best: number,
  horizon: SlowHorizon,
  target: number,
  share: number
): number | "tie" | undefined => {
  const buckets = bounds.map((_, i) => countsOf(lives.filter((life) => isIn(life, bounds, i)), best, target, horizon))
  const enough = horizon.sufficient / (1 - horizon.decay)
  let chosen: ReadonlyArray<Counts> | undefined
  let range: Array<Counts> = []
  let group: Array<Counts> = []
  for (const bucket of buckets.toReversed()) {
    group.push(bucket)
    const known = sum(group.map(({ confirmed }) => confirmed))
    if (isTie(known, enough)) return "tie"
    if (known < enough) continue
    range = [...range, ...group]
    group = []
    const all = sum(range.map(({ confirmed, failed, waiting }) => confirmed + failed + waiting))
    const within = sum(range.map((each) => each.within)) / all
    if (isTie(within, share)) return "tie"
    if (within < share) continue
    chosen = range.toReversed()
    range = []
  }
  if (chosen === undefined) return undefined
  const half = sum(chosen.map(({ confirmed }) => confirmed)) / 2
  const upTo = chosen.map((_, i) => sum(chosen.slice(0, i + 1).map(({ confirmed }) => confirmed)))
  if (upTo.some((each) => isTie(each, half))) return "tie"
  const median = chosen[upTo.findIndex((each) => each >= half)]!
  return median.feerates / median.confirmed
}
