import type { UnixMilliseconds } from "../../../quantities.ts"
import type { Random } from "../../basics/environment.ts"
import { DANDELION_LIMITS } from "./dandelion-limits.ts"

/** The transactions on a stem, with their embargoes (Dandelion++: the fail-safe against black holes). */
export interface StemPool {
  readonly size: () => number
  /** Reports whether a transaction is on a stem. `key` is the key of its wtxid. */
  readonly has: (key: string) => boolean
  /** Begins an embargo. Returns false if the pool is full. */
  readonly add: (key: string, now: UnixMilliseconds) => boolean
  readonly remove: (key: string) => boolean
  /** Removes the transactions whose embargo is over, and returns their keys. */
  readonly expired: (now: UnixMilliseconds) => ReadonlyArray<string>
}

/**
 * Makes the pool. `meanEmbargo` is in milliseconds. Embargoes are exponential, so that any node of the stem may be the
 * first to end its own.
 */
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
