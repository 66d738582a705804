import type { Random } from "../basics/environment.ts"

/** Initial number of slots of a generation. */
const FEWEST = 256

/** Keys of 64 bits, as pairs of numbers, in open addressing. */
interface Generation {
  slots: Uint32Array
  size: number
}

const empty = (): Generation => ({ slots: new Uint32Array(2 * FEWEST), size: 0 })

const find = (slots: Uint32Array, low: number, high: number): number => {
  const mask = slots.length / 2 - 1
  for (let i = low & mask;; i = (i + 1) & mask) {
    const [a, b] = [slots[2 * i]!, slots[2 * i + 1]!]
    if ((a === low && b === high) || (a === 0 && b === 0)) return 2 * i
  }
}

const isIn = ({ slots }: Generation, low: number, high: number): boolean => {
  const at = find(slots, low, high)
  return slots[at] === low && slots[at + 1] === high
}

const place = (slots: Uint32Array, low: number, high: number): boolean => {
  const at = find(slots, low, high)
  if (slots[at] === low && slots[at + 1] === high) return false
  slots[at] = low
  slots[at + 1] = high
  return true
}

const grow = (generation: Generation): void => {
  const larger = new Uint32Array(generation.slots.length * 2)
  for (let i = 0; i < generation.slots.length; i += 2) {
    const [low, high] = [generation.slots[i]!, generation.slots[i + 1]!]
    if (low !== 0 || high !== 0) place(larger, low, high)
  }
  generation.slots = larger
}

const insert = (generation: Generation, low: number, high: number): void => {
  if (generation.size * 3 > generation.slots.length) grow(generation)
  if (place(generation.slots, low, high)) generation.size++
}

/** A set of recently added hashes. The oldest are forgotten. */
export interface RollingFilter {
  readonly has: (hash: Uint8Array) => boolean
  readonly add: (hash: Uint8Array) => void
  readonly clear: () => void
}

/**
 * A rolling filter (Core: `CRollingBloomFilter`): remembers at least the last `least` hashes and at most twice as many,
 * in eight bytes each. It compares hashes by a keyed fingerprint of 64 bits, so an attacker cannot choose hashes that
 * collide.
 */
export const rollingFilter = (least: number, random: Random): RollingFilter => {
  const key = new Uint32Array(16)
  const seedWords = new DataView(random.bytes(64).slice().buffer)
  for (let i = 0; i < 16; i++) key[i] = seedWords.getUint32(4 * i) | 1
  let young = empty()
  let old = empty()
  let low = 0
  let high = 0
  const fingerprint = (hash: Uint8Array): void => {
    const view = new DataView(hash.buffer, hash.byteOffset, hash.byteLength)
    let [a, b] = [0, 0]
    for (let i = 0; i < 8; i++) {
      const word = view.getUint32(4 * i, true)
      a = Math.imul(a ^ word, key[i]!)
      a ^= a >>> 15
      b = Math.imul(b ^ word, key[8 + i]!)
      b ^= b >>> 13
    }
    low = a >>> 0
    // Two zeros mark an empty slot.
    high = (b >>> 0) || 1
  }
  return {
    has: (hash) => {
      fingerprint(hash)
      return isIn(young, low, high) || isIn(old, low, high)
    },
    add: (hash) => {
      fingerprint(hash)
      if (young.size >= least) {
        old = young
        young = empty()
      }
      insert(young, low, high)
    },
    clear: () => {
      young = empty()
      old = empty()
    }
  }
}
