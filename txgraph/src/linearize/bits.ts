/** Sets of up to 64 numbers in two words: `low` has 0 to 31, `high` has 32 to 63. */

/** Maximum number of transactions in a cluster. */
export const WIDTH = 64

export const lowBit = (member: number): number => (member < 32 ? 1 << member : 0)

export const highBit = (member: number): number => (member < 32 ? 0 : 1 << (member - 32))

export const has = (low: number, high: number, member: number): boolean =>
  ((member < 32 ? low >>> member : high >>> (member - 32)) & 1) === 1

/** Returns the lowest member from `from` on, or {@link WIDTH}. */
export const nextMember = (low: number, high: number, from: number): number => {
  if (from < 32) {
    const word = low & (-1 << from)
    if (word !== 0) return 31 - Math.clz32(word & -word)
    return high === 0 ? WIDTH : 63 - Math.clz32(high & -high)
  }
  if (from >= WIDTH) return WIDTH
  const word = high & (-1 << (from - 32))
  return word === 0 ? WIDTH : 63 - Math.clz32(word & -word)
}

/** Returns the highest member, or -1. */
export const lastMember = (low: number, high: number): number =>
  high === 0 ? 31 - Math.clz32(low) : 63 - Math.clz32(high)

const wordCount = (word: number): number => {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** Returns the number of members. */
export const memberCount = (low: number, high: number): number => wordCount(low) + wordCount(high)

/** Returns the low word of a set whose members are all raised by `by`, from 0 to 63. */
export const raisedLow = (low: number, by: number): number => (by >= 32 ? 0 : low << by)

/** Returns the high word of that set. */
export const raisedHigh = (low: number, high: number, by: number): number => {
  if (by === 0) return high
  return by >= 32 ? low << (by - 32) : (high << by) | (low >>> (32 - by))
}
