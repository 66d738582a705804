/**
 * A hash table of small numbers, with open addressing over pairs: the hash, and the number plus one (0 for a free
 * slot). The caller compares the items that the numbers refer to.
 */
export interface HashSlots {
  pairs: Int32Array
  count: number
}

const SMALLEST = 1 << 8

export const hashSlots = (): HashSlots => ({ pairs: new Int32Array(SMALLEST * 2), count: 0 })

const place = (pairs: Int32Array, hash: number, number: number): void => {
  const mask = pairs.length - 2
  let at = (hash << 1) & mask
  while (pairs[at + 1] !== 0) at = (at + 2) & mask
  pairs[at] = hash
  pairs[at + 1] = number + 1
}

const grow = (slots: HashSlots): void => {
  const old = slots.pairs
  const pairs = new Int32Array(old.length * 2)
  for (let at = 0; at < old.length; at += 2) if (old[at + 1] !== 0) place(pairs, old[at]!, old[at + 1]! - 1)
  slots.pairs = pairs
}

/** Adds a number. The table is at most 70 % full. */
export const putSlot = (slots: HashSlots, hash: number, number: number): void => {
  if (slots.count * 20 >= slots.pairs.length * 7) grow(slots)
  place(slots.pairs, hash, number)
  slots.count++
}

/** Returns the slot of the number with this hash for which `isIt` is true, or −1. */
const slotOf = ({ pairs }: HashSlots, hash: number, isIt: (number: number) => boolean): number => {
  const mask = pairs.length - 2
  for (let at = (hash << 1) & mask;; at = (at + 2) & mask) {
    const number = pairs[at + 1]! - 1
    if (number < 0) return -1
    if (pairs[at] === hash && isIt(number)) return at
  }
}

/** Returns the number with this hash for which `isIt` is true, or `undefined`. */
export const findSlot = (slots: HashSlots, hash: number, isIt: (number: number) => boolean): number | undefined => {
  const at = slotOf(slots, hash, isIt)
  return at < 0 ? undefined : slots.pairs[at + 1]! - 1
}

/** Removes a number. Those behind it move up, so that no look-up ends too early. */
export const takeSlot = (slots: HashSlots, hash: number, isIt: (number: number) => boolean): void => {
  const { pairs } = slots
  const mask = pairs.length - 2
  let hole = slotOf(slots, hash, isIt)
  if (hole < 0) return
  for (let at = (hole + 2) & mask; pairs[at + 1] !== 0; at = (at + 2) & mask) {
    const home = (pairs[at]! << 1) & mask
    // A pair may move into the hole if the hole is between its home slot and its present one.
    if (((at - home) & mask) < ((at - hole) & mask)) continue
    pairs[hole] = pairs[at]!
    pairs[hole + 1] = pairs[at + 1]!
    hole = at
  }
  pairs[hole + 1] = 0
  slots.count--
}
