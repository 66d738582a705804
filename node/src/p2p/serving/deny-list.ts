import { hashKey } from "../basics/hash-key.ts"
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

/** What a module refuses to have served. Relay alone depends on it, never what is valid. */
export interface ServePolicy {
  readonly blocks: DenyList
  readonly transactions: DenyList
  /** No full block is served while it is set. */
  isMaintenance: boolean
}

export const servePolicy = (): ServePolicy => ({ blocks: denyList(), transactions: denyList(), isMaintenance: false })

/** The policies in force: what one of them refuses is not served. */
export interface ServePolicies {
  /** Puts a policy in force; answers what removes it. */
  readonly add: (policy: ServePolicy) => () => void
  readonly deniesBlock: (hash: Uint8Array) => boolean
  readonly deniesTransaction: (hash: Uint8Array) => boolean
}

/** No policy. */
export const servePolicies = (): ServePolicies => {
  const policies = new Set<ServePolicy>()
  return {
    add: (policy) => {
      policies.add(policy)
      return () => void policies.delete(policy)
    },
    deniesBlock: (hash) => {
      for (const { blocks, isMaintenance } of policies) if (isMaintenance || blocks.has(hash)) return true
      return false
    },
    deniesTransaction: (hash) => {
      for (const { transactions } of policies) if (transactions.has(hash)) return true
      return false
    }
  }
}
