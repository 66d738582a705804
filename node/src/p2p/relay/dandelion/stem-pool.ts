import type { UnixMilliseconds } from "../../../quantities.ts"
import type { Random } from "../../basics/environment.ts"
import { DANDELION_LIMITS } from "./dandelion-limits.ts"

/** The transactions that are on a stem, and their embargoes (Dandelion++: the fail-safe against black holes). */
export interface StemPool {
  readonly size: () => number
  /** `key`: the wtxid's. */
  readonly has: (key: string) => boolean
  /** Begins an embargo. Answers false when there is no room. */
  readonly add: (key: string, now: UnixMilliseconds) => boolean
  readonly remove: (key: string) => boolean
  /** Removes those whose embargo is over, and answers them. */
  readonly expired: (now: UnixMilliseconds) => ReadonlyArray<string>
}

/** `meanEmbargo`: milliseconds. Embargoes are exponential, so that the first to end is any node of the stem. */
export const stemPool = (random: Random, meanEmbargo: number): StemPool => {
  const embargoes = new Map<string, number>()
  return {
    size: () => embargoes.size,
    has: (key) => embargoes.has(key),
    add: (key, now) => {
      if (embargoes.has(key)) return true
      if (embargoes.size >= DANDELION_LIMITS.stems.most) return false
      const wait = Math.min(random.exponential(meanEmbargo), DANDELION_LIMITS.embargo.most * meanEmbargo)
      embargoes.set(key, now + wait)
      return true
    },
    remove: (key) => embargoes.delete(key),
    expired: (now) => {
      const keys = [...embargoes].flatMap(([key, end]) => now >= end ? [key] : [])
      for (const key of keys) embargoes.delete(key)
      return keys
    }
  }
}
