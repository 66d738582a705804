import type { Plan } from "./plan/plan.ts"
import { planOf } from "./plan/plan-of.ts"

/** Seeds that CI plays, shortened. */
export const SEEDS: ReadonlyArray<number> = [8, 9, 24, 5083]

/** Seconds of trouble in CI. */
export const SHORT = 120

/** A seed that showed a fault once. `trouble`: as many seconds of it as that takes. */
export interface Regression {
  readonly seed: number
  readonly trouble: number
  readonly fault: string
}

export const REGRESSIONS: ReadonlyArray<Regression> = [
  {
    seed: 7055,
    trouble: 200,
    fault: "an invalid block that was sent again before it was judged cost its sender nothing"
  }
]

/** The seed that was asked for, in full. */
export const askedFor = (text: string | undefined): Plan | undefined =>
  text === undefined ? undefined : planOf(Number(text))
