/** Of one key. With more the participants of a key are not looked at: adding their keys would take too long at once. */
export const MOST_PARTICIPANTS = 100

/**
 * For one input or output at once, in keys to be added up. It is some three quarters of a second on a slow machine. What
 * is beyond it stays as it is.
 */
const MOST_KEYS_AT_ONCE = 1_000

/** How much may still be done for keys of several signers before others have to wait too long. */
export interface MusigWork {
  /** Takes work for so many keys; false: there is too little left. */
  readonly spend: (keys: number) => boolean
}

/** The work for one input or output. */
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
