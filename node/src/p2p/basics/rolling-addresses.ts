import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { addressKey } from "../../net/endpoint-text.ts"

/** Addresses of which the oldest are forgotten once they are many. */
export interface RollingAddresses {
  readonly add: (address: NetworkAddress) => void
  readonly has: (address: NetworkAddress) => boolean
  readonly size: () => number
}

/** Keeps at most so many addresses. Two generations: once the younger one is full, the older one is forgotten. */
export const rollingAddresses = (most: number): RollingAddresses => {
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
