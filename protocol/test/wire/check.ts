import fc, { type IProperty } from "fast-check"

/** The seed of the run, which the global set-up prints: one number reproduces everything. */
export const SEED = Number(process.env["LOCKSTEP_SEED"] ?? Date.now()) | 0

/** Tries `property`; a failure names the seed, the path and the smallest counterexample found. */
export const check = <Ts>(property: IProperty<Ts>, numRuns: number = 100): void =>
  fc.assert(property, { seed: SEED, numRuns })
