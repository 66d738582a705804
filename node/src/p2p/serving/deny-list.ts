import { hashKey } from "../sync/hash-key.ts"
import { SERVING_LIMITS } from "./serving-limits.ts"

/** Hashes in wire order of what is not served, although it is here. */
export interface DenyList {
  readonly has: (hash: Uint8Array) => boolean
  /** Adds hashes; answers how many found no room. */
  readonly merge: (hashes: ReadonlyArray<Uint8Array>) => number
  /** Replaces the whole list; answers how many found no room. */
  readonly replace: (hashes: ReadonlyArray<Uint8Array>) => number
  readonly clear: () => void
  readonly snapshot: () => ReadonlyArray<Uint8Array>
}

/** A list of nothing. */
export const denyList = (most: number = SERVING_LIMITS.denied.most): DenyList => {
  const denied = new Map<string, Uint8Array>()
  const merge = (hashes: ReadonlyArray<Uint8Array>): number => {
    let left = 0
    for (const hash of hashes) {
      const key = hashKey(hash)
      if (denied.size < most || denied.has(key)) denied.set(key, hash.slice())
      else left++
    }
    return left
  }
  return {
    has: (hash) => denied.size > 0 && denied.has(hashKey(hash)),
    merge,
    replace: (hashes) => {
      denied.clear()
      return merge(hashes)
    },
    clear: () => denied.clear(),
    snapshot: () => [...denied.values()]
  }
}

/** What an operator or a module wants served. Relay alone depends on it, never what is valid. */
export interface ServePolicy {
  readonly blocks: DenyList
  readonly transactions: DenyList
  /** No full block is served while it is set. */
  isMaintenance: boolean
}

export const servePolicy = (): ServePolicy => ({ blocks: denyList(), transactions: denyList(), isMaintenance: false })
