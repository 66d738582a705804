import type { UnixMilliseconds } from "../quantities.ts"
import { isWorse, type Judgement } from "./component-health.ts"

/** A settled judgement, and the time since which its status has been the same. */
export interface Settled extends Judgement {
  readonly since: UnixMilliseconds
  /** Time since which checks have been better than the settled status. */
  readonly betterSince: UnixMilliseconds | undefined
}

/** Milliseconds for which a flickering cause has to be absent. */
export const HOLD_MS = 30_000

const taken = (judged: Judgement, now: UnixMilliseconds, before: Settled | undefined): Settled => ({
  ...judged,
  since: before !== undefined && before.status === judged.status ? before.since : now,
  betterSince: undefined
})

/**
 * Settles the status after one more check. A worse status takes effect at once. A better one takes effect at once if
 * the cause does not flicker. Otherwise it does so after thirty seconds of better checks, so that a part at a limit
 * does not alternate.
 */
export const settle = (before: Settled | undefined, judged: Judgement, now: UnixMilliseconds): Settled => {
  if (before === undefined || !before.flickers || !isWorse(before.status, judged.status)) {
    return taken(judged, now, before)
  }
  const betterSince = before.betterSince ?? now
  return now - betterSince >= HOLD_MS ? taken(judged, now, before) : { ...before, betterSince }
}
