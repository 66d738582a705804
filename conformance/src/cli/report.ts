import { RULES, type RuleId } from "@lockstep/kernel/internal/generated/rule-ids.ts"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { RuleCount } from "../judge/coverage.ts"
import type { Plan } from "../run/plan.ts"
import { UsageError } from "./usage-error.ts"
import type { RunTotal } from "./totals.ts"

/** Every rule, also those that no case spoke of. */
const allRules = (counted: ReadonlyArray<RuleCount>): ReadonlyArray<RuleCount> => {
  const counts = new Map(counted.map((count) => [count.id, count]))
  return (Object.keys(RULES) as ReadonlyArray<RuleId>).map((id) => counts.get(id) ?? { id, accepted: 0, rejected: 0 })
}

const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000

const runReport = ({ provider, suites, rules, failures, passed, failed, skipped, seconds }: RunTotal) => ({
  suites: suites.map((suite) => ({ ...suite, seconds: rounded(suite.seconds) })),
  rules: allRules(rules),
  failures,
  passed,
  failed,
  skipped,
  provider,
  node: process.versions.node,
  seconds: rounded(seconds)
})

/**
 * Writes the report of a run: on one provider that run, on several the run on the fastest, and each of them under
 * `providers`. Faults of the files themselves are listed once.
 */
export const writeReport = (path: string, plan: Plan, totals: ReadonlyArray<RunTotal>): void => {
  const [first] = totals
  if (first === undefined) return
  const files = [
    ...plan.damaged.map(({ file, problem }) => ({ file: file.display, problem })),
    ...plan.unclaimed.map((file) => ({ file: file.display, problem: "is claimed by no suite" }))
  ]
  const report = { ...runReport(first), files, ...(totals.length > 1 && { providers: totals.map(runReport) }) }
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${JSON.stringify(report, null, 2)}\n`)
  } catch (error) {
    throw new UsageError(`--json ${path} cannot be written: ${error instanceof Error ? error.message : String(error)}.`)
  }
}
