/** Disjoint sets of numbers: each member points to another one of its set, the representative to itself. */
export type Disjoint = Array<number>

/** Returns the representative of a number's set. */
export const representative = (sets: Disjoint, member: number): number => {
  let at = member
  while (sets[at] !== at) {
    sets[at] = sets[sets[at]!]!
    at = sets[at]!
  }
  return at
}

/** Unites two sets. Returns the representative. */
export const unite = (sets: Disjoint, a: number, b: number): number => {
  const first = representative(sets, a)
  const second = representative(sets, b)
  sets[Math.max(first, second)] = Math.min(first, second)
  return Math.min(first, second)
}
