import { LIMITS } from "@lockstep/protocol/wire/limits.ts"
import { SERVING_LIMITS } from "./serving-limits.ts"

/** How much an operator wants to send in a day, and how much of it is used up. Bytes and milliseconds. */
export interface UploadTarget {
  /** Bytes a day; 0: no limit. */
  readonly target: number
  /** What a day is. */
  readonly window: number
  /** Whether nothing but new blocks is to be sent. */
  readonly reached: () => boolean
  /** Whether blocks that are a week old are served: they are not when what is left is needed for new ones. */
  readonly servesHistoricalBlocks: () => boolean
  readonly bytesLeft: () => number
  /** Until the day is over. */
  readonly timeLeft: () => number
}

/** `sent`: all bytes sent since the node started. `interval`: seconds between blocks. */
export const uploadTarget = (target: number, sent: () => number, now: () => number, interval: number): UploadTarget => {
  const cycle = { since: now(), sent: sent() }

  const used = (): number => {
    if (now() >= cycle.since + SERVING_LIMITS.uploadCycle.most) Object.assign(cycle, { since: now(), sent: sent() })
    return sent() - cycle.sent
  }
  const timeLeft = (): number => Math.max(0, cycle.since + SERVING_LIMITS.uploadCycle.most - now())
  const servesHistoricalBlocks = (): boolean => {
    if (target === 0) return true
    const spent = used()
    // What is left must do for each block that will be found today.
    const reserve = Math.floor(timeLeft() / 1_000 / interval) * LIMITS.block.most
    return spent < target - reserve
  }
  return {
    target,
    window: SERVING_LIMITS.uploadCycle.most,
    reached: () => target > 0 && used() >= target,
    servesHistoricalBlocks,
    timeLeft: () => target === 0 ? 0 : timeLeft(),
    bytesLeft: () => target === 0 ? 0 : Math.max(0, target - used())
  }
}
