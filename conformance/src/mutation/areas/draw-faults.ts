import { mutantKey } from "../mutant.ts"
import type { Fault } from "./fault.ts"
import type { Kind } from "./forgotten.ts"
import { alternating, sampleOf } from "./sample.ts"

/** What is forgotten is rare among all changes of a text, and frequent among the faults that people make. */
const FORGOTTEN: ReadonlySet<Kind> = new Set<Kind>(["clean-up", "counter", "error", "wait"])
const CONFUSED: ReadonlySet<Kind> = new Set<Kind>(["argument", "unit"])

/**
 * `count` of `faults` in an order that `seed` decides on: a quarter is something forgotten, a quarter an argument or a unit
 * confused, the rest any other change, as far as there are so many.
 */
export const drawFaults = (faults: ReadonlyArray<Fault>, count: number, seed: number): ReadonlyArray<Fault> => {
  const drawn = (of: ReadonlyArray<Fault>): ReadonlyArray<Fault> => sampleOf(of, count, seed, mutantKey)
  const others = drawn(faults.filter(({ kind }) => kind === "value"))
  return alternating(
    drawn(faults.filter(({ kind }) => FORGOTTEN.has(kind))),
    others.filter((_, i) => i % 2 === 0),
    drawn(faults.filter(({ kind }) => CONFUSED.has(kind))),
    others.filter((_, i) => i % 2 === 1)
  ).slice(0, count)
}
