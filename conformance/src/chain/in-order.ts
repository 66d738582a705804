import type { Bench } from "../judge/bench.ts"
import type { Outcome } from "../judge/outcome.ts"

/** One step of something that goes on from case to case. */
export type Step = (bench: Bench) => Outcome

/**
 * Makes steps into cases that may be judged or left out: each first takes the steps before it that are still to be
 * taken.
 */
export const inOrder = (): (step: Step) => Step => {
  const waiting: Array<Step> = []
  return (step) => {
    waiting.push(step)
    return (bench) => {
      for (;;) {
        const next = waiting.shift()!
        const outcome = next(bench)
        if (next === step) return outcome
      }
    }
  }
}
