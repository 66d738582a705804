import type { UnixMilliseconds } from "../quantities.ts"
import { isWorse, type Judgement } from "./component-health.ts"

/** A judgement that counts, and since when its status has been what it is. */
export interface Settled extends Judgement {
  readonly since: UnixMilliseconds
  /** Since when looks have been better than what counts. */
  readonly betterSince: UnixMilliseconds | undefined
}

/** How long a flickering cause has to be absent. */
export const HOLD_MS = 30_000

const taken = (judged: Judgement, now: UnixMilliseconds, before: Settled | undefined): Settled => ({
  ...judged,
  since: before !== undefined && before.status === judged.status ? before.since : now,
  betterSince: undefined
})

/**
 * What counts after one more look. Worse counts at once. Better counts at once where the cause does not flicker.
 * Otherwise it counts once all looks were better for thirty seconds, so that a part at an edge does not alternate.
 */
export const settle = (before: Settled | undefined, judged: Judgement, now: UnixMilliseconds): Settled => {
  if (before === undefined || !before.flickers || !isWorse(before.status, judged.status)) {
    return taken(judged, now, before)
  }
  const betterSince = before.betterSince ?? now
  return now - betterSince >= HOLD_MS ? taken(judged, now, before) : { ...before, betterSince }
}
