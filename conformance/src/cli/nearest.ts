const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    }
    row = next
  }
  return row[b.length]!
}

/** The candidate that takes the fewest edits to be `given`. Precondition: there is a candidate. */
export const nearest = (given: string, candidates: ReadonlyArray<string>): string => {
  const edits = (candidate: string): number => distance(given.toLowerCase(), candidate.toLowerCase())
  return candidates.reduce((best, candidate) => edits(candidate) < edits(best) ? candidate : best)
}
