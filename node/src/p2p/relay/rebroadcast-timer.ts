import type { UnixMilliseconds } from "../../quantities.ts"
import type { Random } from "../environment.ts"
import { RELAY_LIMITS } from "./relay-limits.ts"

/** When transactions of this node's users that no peer has fetched are announced again: at unpredictable times. */
export const rebroadcastTimer = (random: Random): (now: UnixMilliseconds) => boolean => {
  let next: number | undefined
  const nextAfter = (now: number): number =>
    now + RELAY_LIMITS.rebroadcast.most + random.below(RELAY_LIMITS.rebroadcastSpread.most)
  return (now) => {
    next ??= nextAfter(now)
    if (now < next) return false
    next = nextAfter(now)
    return true
  }
}
