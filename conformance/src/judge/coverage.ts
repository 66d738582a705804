import type { RuleId } from "@lockstep/kernel/internal/generated/rule-ids.ts"

/** How often a run saw a rule hold in a case about it, and how often the kernel named it as broken. */
export interface RuleCount {
  readonly id: RuleId
  readonly accepted: number
  readonly rejected: number
}

/** Counts of rules while a run goes on. */
export interface Coverage {
  readonly accepted: (id: RuleId) => void
  readonly rejected: (id: RuleId) => void
  readonly counts: () => ReadonlyArray<RuleCount>
}

/** Adds up the counts of several runs, in the order of ids. */
export const addedUp = (counts: Iterable<RuleCount>): ReadonlyArray<RuleCount> => {
  const sums = new Map<RuleId, RuleCount>()
  for (const { id, accepted, rejected } of counts) {
    const sum = sums.get(id)
    sums.set(id, { id, accepted: accepted + (sum?.accepted ?? 0), rejected: rejected + (sum?.rejected ?? 0) })
  }
  return [...sums.values()].sort((a, b) => a.id < b.id ? -1 : 1)
}

const counter = (of: Map<RuleId, number>) => (id: RuleId): void => {
  of.set(id, (of.get(id) ?? 0) + 1)
}

/** Coverage with nothing counted yet. */
export const createCoverage = (): Coverage => {
  const accepted = new Map<RuleId, number>()
  const rejected = new Map<RuleId, number>()
  return {
    accepted: counter(accepted),
    rejected: counter(rejected),
    counts: () =>
      addedUp([
        ...[...accepted].map(([id, n]) => ({ id, accepted: n, rejected: 0 })),
        ...[...rejected].map(([id, n]) => ({ id, accepted: 0, rejected: n }))
      ])
  }
}
