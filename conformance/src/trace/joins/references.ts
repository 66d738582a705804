import type { Finding } from "../finding.ts"
import { isLive, type Rule, type Spec } from "../spec.ts"

const RELATIONS = ["requires", "order"] as const

/** A path from `start` back to itself along `relation`, if there is one. */
const cycleThrough = (
  spec: Spec,
  start: Rule,
  relation: typeof RELATIONS[number]
): ReadonlyArray<string> | undefined => {
  const seen = new Set<string>()
  const paths: Array<ReadonlyArray<string>> = [[start.id]]
  for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
    for (const next of spec.rules.get(path.at(-1)!)?.[relation] ?? []) {
      if (next === start.id) return [...path, next]
      if (!seen.has(next)) paths.push([...path, next])
      seen.add(next)
    }
  }
  return undefined
}

/** What a composition tries earlier must not require what it tries later. */
const orderFindings = (rule: Rule, spec: Spec): ReadonlyArray<Finding> =>
  rule.order.flatMap((id, i) =>
    (spec.rules.get(id)?.requires ?? []).filter((required) => rule.order.indexOf(required) > i).map((
      required
    ): Finding => ({
      check: "references",
      id: rule.id,
      where: rule.where,
      what: `tries ${id} before ${required}, which ${id} requires`
    }))
  )

/** Ids in the fields of a block exist, and no rule stands on itself. */
export const referenceFindings = (spec: Spec): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  for (const rule of spec.rules.values()) {
    const report = (what: string) => findings.push({ check: "references", id: rule.id, where: rule.where, what })
    for (const field of [...RELATIONS, "constants"] as const) {
      for (const id of rule[field]) {
        if (!isLive(spec, id) || (field === "constants") !== spec.constants.has(id)) {
          report(`${field} names ${id}, which is no ${field === "constants" ? "constant" : "rule"} of the spec`)
        }
      }
      if (new Set(rule[field]).size !== rule[field].length) report(`${field} names an id twice`)
    }
    for (const relation of RELATIONS) {
      const cycle = cycleThrough(spec, rule, relation)
      // Every rule on a cycle could report it; the smallest id does.
      if (cycle !== undefined && cycle.every((id) => id >= rule.id)) {
        report(`${relation} runs in a circle: ${cycle.join(" → ")}`)
      }
    }
    findings.push(...orderFindings(rule, spec))
  }
  return findings
}
