/**
 * Returns the least number of single-character edits that turn one text into the other. Two swapped neighbours count as
 * one edit.
 */
const editDistance = (left: string, right: string): number => {
  const rows = Array.from({ length: left.length + 1 }, (_, i) => [i, ...Array<number>(right.length).fill(0)])
  for (let j = 0; j <= right.length; j++) rows[0]![j] = j
  for (let i = 1; i <= left.length; i++) {
    for (let j = 1; j <= right.length; j++) {
      const same = left[i - 1] === right[j - 1]
      let least = Math.min(rows[i - 1]![j]! + 1, rows[i]![j - 1]! + 1, rows[i - 1]![j - 1]! + (same ? 0 : 1))
      const swapped = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]
      if (swapped) least = Math.min(least, rows[i - 2]![j - 2]! + 1)
      rows[i]![j] = least
    }
  }
  return rows[left.length]![right.length]!
}

const LONGEST = 64

/** Minimum length of a prefix; shorter ones match too many names. */
const SHORTEST_START = 3

const plain = (text: string): string => text.toLowerCase().replaceAll("-", "_")

const onlyOneBeginningWith = (start: string, candidates: Iterable<string>): string | undefined => {
  if (start.length < SHORTEST_START) return undefined
  const found = [...candidates].filter((candidate) => plain(candidate).startsWith(start))
  return found.length === 1 ? found[0] : undefined
}

/**
 * Returns the most likely candidate for `text`: the one with the fewest edits, else the only one that begins with it.
 * Returns `undefined` if no candidate is close.
 */
export const nearest = (text: string, candidates: Iterable<string>): string | undefined => {
  if (text.length > LONGEST) return undefined
  const written = plain(text)
  let best: string | undefined
  let least = Math.max(2, Math.floor(text.length / 3)) + 1
  for (const candidate of candidates) {
    const distance = editDistance(written, plain(candidate))
    if (distance < least) {
      least = distance
      best = candidate
    }
  }
  return best ?? onlyOneBeginningWith(written, candidates)
}
