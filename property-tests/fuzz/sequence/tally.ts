/** How many of what kind came to what: kind, then outcome. */
const counts = new Map<string, Map<string, number>>()

/** Notes that something of `kind` came to `outcome`. */
export const count = (kind: string, outcome: string): void => {
  const outcomes = counts.get(kind) ?? new Map<string, number>()
  counts.set(kind, outcomes)
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
}

/** One line a kind, the commonest outcome first. */
export const tally = (): ReadonlyArray<string> =>
  [...counts].map(([kind, outcomes]) => {
    const all = [...outcomes].toSorted(([, a], [, b]) => b - a)
    const total = all.reduce((sum, [, times]) => sum + times, 0)
    return `${kind}: ${total} (${all.map(([outcome, times]) => `${outcome} ${times}`).join(", ")})`
  })
