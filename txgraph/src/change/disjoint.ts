/** Disjoint sets of numbers: each leads to another of its set, the representative to itself. */
export type Disjoint = Array<number>

/** The representative of the set that a number is in. */
export const representative = (sets: Disjoint, member: number): number => {
  let at = member
  while (sets[at] !== at) {
    sets[at] = sets[sets[at]!]!
    at = sets[at]!
  }
  return at
}

/** Makes one set of two; answers its representative. */
export const unite = (sets: Disjoint, a: number, b: number): number => {
  const first = representative(sets, a)
  const second = representative(sets, b)
  sets[Math.max(first, second)] = Math.min(first, second)
  return Math.min(first, second)
}
