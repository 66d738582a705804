import { type RuleCount, addedUp } from "../judge/coverage.ts"
import type { Plan } from "../run/plan.ts"
import type { Failure, UnitResult } from "../run/result.ts"
import { SUITE_NAMES, type SuiteName } from "../runners/table.ts"
import type { SourceKind } from "../sources/source.ts"

/** What became of a suite's cases from one source. */
interface SuiteTotal {
  readonly name: SuiteName
  readonly source: SourceKind
  /** The source as people know it: a directory, a package. */
  readonly from: string
  readonly cases: number
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** Of all workers together. */
  readonly seconds: number
}

/** What became of a run on one provider. */
export interface RunTotal {
  readonly provider: string
  readonly suites: ReadonlyArray<SuiteTotal>
  readonly rules: ReadonlyArray<RuleCount>
  readonly failures: ReadonlyArray<Failure>
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly seconds: number
}

const sum = (results: ReadonlyArray<UnitResult>, of: (result: UnitResult) => number): number =>
  results.reduce((total, result) => total + of(result), 0)

const suiteTotals = (plan: Plan, results: ReadonlyArray<UnitResult>): ReadonlyArray<SuiteTotal> =>
  SUITE_NAMES.flatMap((name) =>
    plan.sources.flatMap((source, s) => {
      const own = results.filter(({ unit }) => unit.suite === name && unit.source === s)
      if (own.length === 0) return []
      const [passed, failed, skipped] = [
        sum(own, (r) => r.passed),
        sum(own, (r) => r.failed),
        sum(own, (r) => r.skipped)
      ]
      const seconds = sum(own, (r) => r.milliseconds) / 1000
      return [{
        name,
        source: source.kind,
        from: source.label,
        cases: passed + failed + skipped,
        passed,
        failed,
        skipped,
        seconds
      }]
    })
  )

/** Adds up a run. */
export const totalOf = (
  provider: string,
  plan: Plan,
  results: ReadonlyArray<UnitResult>,
  seconds: number
): RunTotal => ({
  provider,
  suites: suiteTotals(plan, results),
  rules: addedUp(results.flatMap(({ rules }) => rules)),
  failures: results.flatMap(({ failures }) => failures),
  passed: sum(results, (r) => r.passed),
  failed: sum(results, (r) => r.failed),
  skipped: sum(results, (r) => r.skipped),
  seconds
})
