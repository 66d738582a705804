import { MalformedVector } from "../formats/malformed.ts"
import type { Bench } from "../judge/bench.ts"
import { createCoverage } from "../judge/coverage.ts"
import { type Difference, type Outcome, Refused } from "../judge/outcome.ts"
import type { Case } from "../runners/runner.ts"
import { suiteCalled } from "../runners/table.ts"
import type { VectorFile } from "../sources/source.ts"
import type { Failure, Unit, UnitResult } from "./result.ts"

const MAX_FAILURES_KEPT = 200
/** Neighbouring cases share work (the inputs of one transaction), so shares take turns by this many. */
const CASES_A_TURN = 64
const MILLISECONDS_BETWEEN_REPORTS = 100

const STACK_PLACE = /[^()\s]*\/((?:kernel|crypto|conformance)\/[^()\s]+:\d+):\d+/

/** File and line of our own code where `error` was thrown. */
const placeOf = (error: Error): string => STACK_PLACE.exec(error.stack ?? "")?.[1] ?? "a place unknown"

/**
 * What a thrown error says about a case: a vector that is no vector, a refused decode, or a defect, for rules never
 * throw.
 */
const thrown = (error: unknown): Difference => {
  if (error instanceof MalformedVector) {
    return { expected: "a readable vector", actual: `${error.position}: ${error.problem}` }
  }
  if (error instanceof Refused) return { expected: "bytes that decode", actual: error.message, rule: error.rule }
  if (error instanceof Error) {
    return { expected: "an answer", actual: `exception "${error.message}" at ${placeOf(error)}` }
  }
  return { expected: "an answer", actual: `exception ${String(error)}` }
}

const outcomeOf = (given: Case, bench: Bench): Outcome => {
  try {
    return given.judge(bench)
  } catch (error) {
    return thrown(error)
  }
}

/** Reports how a unit goes on: cases judged since the last report, and how many of them failed. */
type Report = (judged: number, failed: number) => void

const unreadable = (error: unknown): Difference => {
  if (!(error instanceof MalformedVector)) return thrown(error)
  return {
    expected: "a readable file",
    actual: `${error.position === "" ? "" : `${error.position}: `}${error.problem}`
  }
}

/** Judges the cases of `unit`. A file that cannot be read is one failed case without an index. */
export const judgeUnit = async (unit: Unit, file: VectorFile, bench: Bench, report: Report): Promise<UnitResult> => {
  const started = performance.now()
  const own = { ...bench, coverage: createCoverage() }
  const failures: Array<Failure> = []
  let [passed, failed, ordinal, reported, reportedFailed, reportedAt] = [0, 0, 0, 0, 0, started]
  const fail = (index: string, name: string, difference: Difference): void => {
    failed++
    if (failures.length < MAX_FAILURES_KEPT) {
      failures.push({ suite: unit.suite, file: file.display, index, name, ...difference })
    }
  }
  const reportProgress = (): void => {
    report(passed + failed - reported, failed - reportedFailed)
    reported = passed + failed
    reportedFailed = failed
    reportedAt = performance.now()
  }
  try {
    for await (const given of suiteCalled(unit.suite).run(file)) {
      const mine = Math.floor(ordinal++ / CASES_A_TURN) % unit.shares === unit.share
      if (!mine || (unit.only !== undefined && !unit.only.includes(given.index))) continue
      const outcome = outcomeOf(given, own)
      if (outcome === undefined) passed++
      else fail(given.index, given.name, outcome)
      if (performance.now() - reportedAt >= MILLISECONDS_BETWEEN_REPORTS) reportProgress()
    }
  } catch (error) {
    // Every share meets the same broken file; the first one reports it.
    if (unit.share === 0) fail("", "", unreadable(error))
  }
  reportProgress()
  const milliseconds = performance.now() - started
  return { unit, passed, failed, skipped: 0, failures, rules: own.coverage.counts(), milliseconds }
}
