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
  /** Takes note of bytes that go out. */
  readonly count: (bytes: number) => void
}

/** `interval`: seconds between blocks. A day begins with the first bytes that are sent after the last one. */
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
    // What is left must do for each block that will be found today.
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
