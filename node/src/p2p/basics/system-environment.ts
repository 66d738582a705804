import { randomBytes, randomInt } from "node:crypto"
import * as Effect from "effect/Effect"
import { wallClock } from "../../clock.ts"
import type { Random, Environment } from "./environment.ts"

/** Returns `-mean * ln(u)` with u in (0, 1]. */
const exponentialOf = (below: Random["below"], mean: number): number =>
  -mean * Math.log((below(2 ** 48 - 1) + 1) / (2 ** 48 - 1))

/** Adds waiting times of a Poisson process to uniform random numbers. */
export const withExponential = (even: Omit<Random, "exponential">): Random => ({
  ...even,
  exponential: (mean) => exponentialOf(even.below, mean)
})

const systemRandom: Random = withExponential({
  below: (bound) => bound <= 1 ? 0 : randomInt(Math.min(bound, 2 ** 48 - 1)),
  bytes: (count) => new Uint8Array(randomBytes(count))
})

/** The clock of the running fiber, and the machine's randomness. */
export const systemEnvironment: Effect.Effect<Environment> = Effect.map(
  wallClock,
  (now) => ({ now, random: systemRandom })
)
