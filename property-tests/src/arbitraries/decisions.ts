import fc, { type Arbitrary } from "fast-check"

/** Choices for a builder that makes something step by step. */
export interface Decisions {
  /** 0 up to, not including, `limit`. */
  readonly below: (limit: number) => number
}

/**
 * Decisions written down beforehand: 0 for whatever comes after the last, so that a shorter tape is a simpler input.
 */
export const decisionsOf = (tape: ReadonlyArray<number>): Decisions => {
  let at = 0
  return { below: (limit) => (tape[at++] ?? 0) % Math.max(1, limit) }
}

/** About `length` decisions. */
export const tapeOf = (length: number): Arbitrary<ReadonlyArray<number>> =>
  fc.array(fc.nat(0xffffff), { minLength: length >> 1, maxLength: length, size: "max" })

export const oneIn = (decisions: Decisions, times: number): boolean => decisions.below(times) === times - 1

export const pick = <A>(decisions: Decisions, values: ReadonlyArray<A>): A => values[decisions.below(values.length)]!
