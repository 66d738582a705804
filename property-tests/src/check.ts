import fc, { type IProperty, type IPropertyWithHooks } from "fast-check"
import { vi } from "vitest"

// A property is bounded by its number of runs; on a busy machine the default of five seconds says nothing about it.
vi.setConfig({ testTimeout: 120_000 })

/**
 * The seed of every property of this run: `LOCKSTEP_SEED` where it is set (the global set-up sets it to a random one
 * and prints it), so that one number reproduces everything.
 */
const SEED = Number(process.env.LOCKSTEP_SEED ?? Date.now()) | 0

/** How many inputs a property is tried with unless it asks for fewer or more. */
const RUNS = 200

/** Tries `property`; a failure names the seed, the path and the smallest counterexample found. */
export const check = <Ts>(property: IProperty<Ts> | IPropertyWithHooks<Ts>, numRuns: number = RUNS): void =>
  fc.assert(property, { seed: SEED, numRuns })
