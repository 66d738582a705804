import type { RuleId } from "@lockstep/kernel/internal/generated/rule-ids.ts"

/** How a case failed: what the vector says and what the kernel said. */
export interface Difference {
  readonly expected: string
  readonly actual: string
  /** The rule the kernel named, if it named one. */
  readonly rule?: RuleId | undefined
}

/** A case holds, or how it does not. */
export type Outcome = Difference | undefined

const shown = (value: unknown): string => typeof value === "string" ? value : String(value)

/** Whether `actual` is what the vector says `what` is. */
export const same = (what: string, expected: unknown, actual: unknown): Outcome =>
  expected === actual ? undefined : { expected: `${what} ${shown(expected)}`, actual: `${what} ${shown(actual)}` }

/**
 * The kernel refused to decode what a vector takes for granted. The judge of the case turns it into a {@link
 * Difference}.
 */
export class Refused extends Error {
  readonly rule: RuleId

  constructor(what: string, rule: RuleId) {
    super(`${what} is refused`)
    this.rule = rule
  }
}
