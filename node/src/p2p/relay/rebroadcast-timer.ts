import type { UnixMilliseconds } from "../../quantities.ts"
import type { Random } from "../basics/environment.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"

/**
 * Makes the timer of rebroadcasts. Unbroadcast transactions, those of this node's users that no peer has fetched, are
 * announced again at unpredictable times. The first is counted from `start`.
 */
export const rebroadcastTimer = (random: Random, start: UnixMilliseconds): (now: UnixMilliseconds) => boolean => {
  const nextAfter = (now: UnixMilliseconds): number =>
    now + RELAY_LIMITS.rebroadcast.most + random.below(RELAY_LIMITS.rebroadcastSpread.most)
  let next = nextAfter(start)
  return (now) => {
    if (now < next) return false
    next = nextAfter(now)
    return true
  }
}
