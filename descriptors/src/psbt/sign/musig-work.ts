/**
 * Maximum number of participants of one key. Keys with more are skipped, since aggregating them would take too long.
 */
export const MOST_PARTICIPANTS = 100

/**
 * Maximum number of keys aggregated for one input or output, about three quarters of a second on a slow machine.
 * Anything beyond is unchanged.
 */
const MOST_KEYS_AT_ONCE = 1_000

/** Remaining work on joint keys before other calls would have to wait too long. */
export interface MusigWork {
  /** Uses up work for this many keys. Returns false if too little is left. */
  readonly spend: (keys: number) => boolean
}

/** Opens the budget of one input or output. */
export const musigWork = (most = MOST_KEYS_AT_ONCE): MusigWork => {
  let left = most
  return {
    spend: (keys) => {
      if (keys > left) return false
      left -= keys
      return true
    }
  }
}
