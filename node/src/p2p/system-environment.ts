import { randomBytes, randomInt } from "node:crypto"
import type { Chance, Environment } from "./environment.ts"

/** `-mean * ln(u)` with u in (0, 1]. */
const exponentialOf = (below: Chance["below"], mean: number): number => -mean * Math.log((below(2 ** 48 - 1) + 1) / (2 ** 48 - 1))

/** Waiting times of a Poisson process, from even chance. */
export const withExponential = (even: Omit<Chance, "exponential">): Chance => ({
  ...even,
  exponential: (mean) => exponentialOf(even.below, mean)
})

/** The machine's own clock and chance. */
export const systemEnvironment: Environment = {
  now: Date.now,
  chance: withExponential({
    below: (bound) => bound <= 1 ? 0 : randomInt(Math.min(bound, 2 ** 48 - 1)),
    bytes: (count) => new Uint8Array(randomBytes(count))
  })
}
