import { LIMITS } from "@lockstep/protocol/wire/limits.ts"
import { SERVING_LIMITS } from "./serving-limits.ts"

/** The operator's limit on the bytes sent in a day, and its use. In bytes and milliseconds. */
export interface UploadTarget {
  /** Bytes in a day; 0 for no limit. */
  readonly target: number
  /** Length of the period, in milliseconds. */
  readonly window: number
  /** True if only new blocks may still be sent. */
  readonly reached: () => boolean
  /** True if blocks older than a week are served. They are not if the remaining bytes are reserved for new blocks. */
  readonly servesHistoricalBlocks: () => boolean
  readonly bytesLeft: () => number
  /** Returns the milliseconds left in the period. */
  readonly timeLeft: () => number
  /** Counts bytes that were sent. */
  readonly count: (bytes: number) => void
}

/**
 * Makes the target. `interval` is the seconds between blocks. A period begins with the first bytes sent after the
 * previous one.
 */
export const uploadTarget = (target: number, now: () => number, interval: number): UploadTarget => {
  const window = SERVING_LIMITS.uploadCycle.most
  let since: number | undefined
  let spent = 0

  const count = (bytes: number): void => {
    if (target === 0) return
    if (since === undefined || since + window < now()) {
      since = now()
      spent = 0
    }
    spent += bytes
  }
  const timeLeft = (): number => since === undefined ? window : Math.max(0, since + window - now())
  const servesHistoricalBlocks = (): boolean => {
    if (target === 0) return true
    // The remaining bytes must suffice for each block expected in this period.
    const reserve = Math.floor(timeLeft() / 1_000 / interval) * LIMITS.block.most
    return spent < target - reserve
  }
  return {
    target,
    window,
    reached: () => target > 0 && spent >= target,
    servesHistoricalBlocks,
    timeLeft: () => target === 0 ? 0 : timeLeft(),
    bytesLeft: () => target === 0 ? 0 : Math.max(0, target - spent),
    count
  }
}
