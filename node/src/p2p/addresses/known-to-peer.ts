import { ADDRESS_LIMITS } from "./address-limits.ts"

/** Items that a peer is known to have. The set is bounded and forgets the oldest first, in two generations. */
export interface KnownToPeer {
  readonly add: (key: string) => void
  readonly has: (key: string) => boolean
  readonly clear: () => void
}

export const knownToPeer = (most: number = ADDRESS_LIMITS.known.most): KnownToPeer => {
  let young = new Set<string>()
  let old = new Set<string>()
  return {
    add: (key) => {
      if (young.size >= most / 2) {
        old = young
        young = new Set()
      }
      young.add(key)
    },
    has: (key) => young.has(key) || old.has(key),
    clear: () => {
      young = new Set()
      old = new Set()
    }
  }
}
