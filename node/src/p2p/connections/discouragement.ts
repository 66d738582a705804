import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { addressKey } from "../../net/endpoint-text.ts"
import { CONNECTION_LIMITS } from "./connection-limits.ts"

/**
 * Discouraged addresses, of peers that misbehaved. They are not dialed, and are evicted before others; a restart
 * forgets them.
 */
export interface Discouragement {
  readonly add: (address: NetworkAddress) => void
  readonly has: (address: NetworkAddress) => boolean
  readonly size: () => number
}

/** Two generations: once the younger one is full, the older one is forgotten. */
export const discouraged = (most: number = CONNECTION_LIMITS.discouraged.most): Discouragement => {
  let young = new Set<string>()
  let old = new Set<string>()
  return {
    add: (address) => {
      if (young.size >= most / 2) {
        old = young
        young = new Set()
      }
      young.add(addressKey(address))
    },
    has: (address) => {
      const key = addressKey(address)
      return young.has(key) || old.has(key)
    },
    size: () => young.size + old.size
  }
}
