import type { UnixSeconds } from "@lockstep/kernel/quantities"

/** The rolling minimum feerate: that of a full mempool, which halves with time once blocks arrive. */
export interface RollingMinimum {
  /** Satoshis per 1,000 virtual bytes. */
  rate: number
  lastUpdate: UnixSeconds
  blockSeen: boolean
}

const HALF_LIFE_SECONDS = 12 * 60 * 60
const UPDATE_SECONDS = 10

export const rollingMinimum = (now: UnixSeconds): RollingMinimum => ({ rate: 0, lastUpdate: now, blockSeen: false })

/** Raises the minimum to the feerate that an eviction set. */
export const raiseMinimum = (minimum: RollingMinimum, rate: number): void => {
  if (rate <= minimum.rate) return
  minimum.rate = rate
  minimum.blockSeen = false
}

/** Makes the minimum decay from `now` on, because a block arrived. */
export const blockLowersMinimum = (minimum: RollingMinimum, now: UnixSeconds): void => {
  minimum.lastUpdate = now
  minimum.blockSeen = true
}

const halfLife = (usage: number, limit: number): number => {
  if (usage < Math.floor(limit / 4)) return HALF_LIFE_SECONDS / 4
  return usage < Math.floor(limit / 2) ? HALF_LIFE_SECONDS / 2 : HALF_LIFE_SECONDS
}

/** Usage and limit of the mempool, and the incremental feerate in satoshis per 1,000 virtual bytes. */
export interface Fullness {
  readonly usage: () => number
  readonly limit: number
  readonly incremental: number
}

/** Decays the minimum. Returns it in whole satoshis per 1,000 virtual bytes. */
export const currentMinimum = (
  minimum: RollingMinimum,
  now: UnixSeconds,
  { incremental, limit, usage }: Fullness
): number => {
  if (!minimum.blockSeen || minimum.rate === 0) return Math.round(minimum.rate)
  if (now > minimum.lastUpdate + UPDATE_SECONDS) {
    minimum.rate /= 2 ** ((now - minimum.lastUpdate) / halfLife(usage(), limit))
    minimum.lastUpdate = now
    if (minimum.rate < incremental / 2) {
      minimum.rate = 0
      return 0
    }
  }
  return Math.max(Math.round(minimum.rate), incremental)
}

/**
 * Returns the value that {@link currentMinimum} would return, without a change. A block drops the decay since Bitcoin
 * Core's last read, so observers must not call {@link currentMinimum}.
 */
export const foreseenMinimum = (minimum: RollingMinimum, now: UnixSeconds, fullness: Fullness): number =>
  currentMinimum({ ...minimum }, now, fullness)
