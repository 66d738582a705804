import type { FilterLoadMessage } from "../wire/messages/bloom.ts"
import { murmurHash3 } from "./murmur-hash-3.ts"

/** Elements that the filter of a peer adds when a transaction matches (BIP37, the low bits of `flags`). */
export type FilterUpdate = "none" | "all" | "pubkey-only"

/** A bloom filter that a peer set. It owns its bits: matching transactions may add to them. */
export interface BloomFilter {
  readonly bits: Uint8Array
  readonly hashFunctions: number
  readonly tweak: number
  readonly update: FilterUpdate
}

const SEED_STEP = 0xfba4c795
const UPDATE_MASK = 3

const updateOf = (flags: number): FilterUpdate => {
  const bits = flags & UPDATE_MASK
  return bits === 1 ? "all" : bits === 2 ? "pubkey-only" : "none"
}

export const bloomFilter = (
  { filter, flags, hashFunctions, tweak }: Omit<FilterLoadMessage, "command">
): BloomFilter => ({
  bits: new Uint8Array(filter),
  hashFunctions,
  tweak,
  update: updateOf(flags)
})

/** Reports whether a filter has no bits and therefore matches everything. */
export const matchesAll = ({ bits }: BloomFilter): boolean => bits.length === 0

const bitOf = ({ bits, tweak }: BloomFilter, i: number, data: Uint8Array): number =>
  murmurHash3((Math.imul(i, SEED_STEP) + tweak) | 0, data) % (bits.length * 8)

/** Adds an element; has no effect on a filter without bits (CVE-2013-5700). */
export const addToFilter = (filter: BloomFilter, data: Uint8Array): void => {
  if (matchesAll(filter)) return
  for (let i = 0; i < filter.hashFunctions; i++) {
    const bit = bitOf(filter, i, data)
    filter.bits[bit >> 3]! |= 1 << (bit & 7)
  }
}

/** Reports whether these bytes may have been added; never false for bytes that were. */
export const mayContain = (filter: BloomFilter, data: Uint8Array): boolean => {
  if (matchesAll(filter)) return true
  for (let i = 0; i < filter.hashFunctions; i++) {
    const bit = bitOf(filter, i, data)
    if ((filter.bits[bit >> 3]! & (1 << (bit & 7))) === 0) return false
  }
  return true
}
