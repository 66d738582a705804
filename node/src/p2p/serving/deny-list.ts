import { hashKey } from "../basics/hash-key.ts"
import { SERVING_LIMITS } from "./serving-limits.ts"

/** Hashes, in wire order, of stored items that are not served. */
export interface DenyList {
  readonly has: (hash: Uint8Array) => boolean
  /** Adds hashes. Returns the number that did not fit. */
  readonly merge: (hashes: ReadonlyArray<Uint8Array>) => number
  /** Replaces the whole list. Returns the number of hashes that did not fit. */
  readonly replace: (hashes: ReadonlyArray<Uint8Array>) => number
  readonly clear: () => void
  readonly snapshot: () => ReadonlyArray<Uint8Array>
}

/** Makes an empty list. */
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

/** A module's refusals to serve. They only affect relay, never validation. */
export interface ServePolicy {
  readonly blocks: DenyList
  readonly transactions: DenyList
  /** True while no full block is served. */
  isMaintenance: boolean
}

export const servePolicy = (): ServePolicy => ({ blocks: denyList(), transactions: denyList(), isMaintenance: false })

/** The policies in force. An item that one of them refuses is not served. */
export interface ServePolicies {
  /** Enforces a policy. Returns the function that removes it. */
  readonly add: (policy: ServePolicy) => () => void
  readonly deniesBlock: (hash: Uint8Array) => boolean
  readonly deniesTransaction: (hash: Uint8Array) => boolean
}

/** Makes an empty set of policies. */
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
