import type { RuleId } from "@lockstep/kernel/internal/generated/rule-ids.ts"
import type { RuleCount } from "../judge/coverage.ts"
import type { SuiteName } from "../runners/table.ts"

/** A part of the run: one file under its suite, or one of several equal shares of its cases. */
export interface Unit {
  readonly suite: SuiteName
  /** Index of the source in the plan. */
  readonly source: number
  readonly path: string
  readonly share: number
  readonly shares: number
  /** Indexes of the only cases wanted; all when left out. */
  readonly only?: ReadonlyArray<string>
}

/** A case that did not go as its vector says. */
export interface Failure {
  readonly suite: SuiteName
  readonly file: string
  readonly index: string
  readonly name: string
  readonly rule?: RuleId | undefined
  readonly expected: string
  readonly actual: string
}

/** What became of the cases of a unit. */
export interface UnitResult {
  readonly unit: Unit
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** The first failures; there may be more than are kept. */
  readonly failures: ReadonlyArray<Failure>
  readonly rules: ReadonlyArray<RuleCount>
  readonly milliseconds: number
}
