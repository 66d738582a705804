import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { addressKey } from "../../net/endpoint-text.ts"

/** A bounded set of addresses that forgets the oldest ones. */
export interface RollingAddresses {
  readonly add: (address: NetworkAddress) => void
  readonly has: (address: NetworkAddress) => boolean
  readonly size: () => number
}

/** Makes a set of at most `most` addresses, in two generations: once the younger is full, the older is forgotten. */
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
