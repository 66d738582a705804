import { KEYS } from "../catalogue.ts"
import type { Settings, ValueAt } from "../schema/settings.ts"
import type { Given } from "./given.ts"

/** The effective values, by key. */
export type Effective = ReadonlyMap<string, Given>

const DEFAULTS: ReadonlyArray<Given> = [...KEYS.values()]
  .filter(({ facts }) => facts.fallback !== undefined)
  .map(({ facts, name }) => ({ key: name, value: facts.fallback, origin: "default", source: "default" }))

/** Applies sources over the defaults; later ones are stronger. */
export const effectiveOf = (...sources: ReadonlyArray<ReadonlyArray<Given>>): Effective => {
  const values = new Map<string, Given>()
  for (const given of [DEFAULTS, ...sources].flat()) values.set(given.key, given)
  return values
}

/** Returns the value of a key that may be unset. The schema of the key checked it when it was read. */
export const optionalValue = <const Name extends string>(
  effective: Effective,
  name: Name
): ValueAt<Settings, Name> | undefined => effective.get(name)?.value as ValueAt<Settings, Name> | undefined

/** Returns the value of a key that has a default. */
export const valueOf = <const Name extends string>(effective: Effective, name: Name): ValueAt<Settings, Name> =>
  optionalValue(effective, name)!

/** Reports whether the key is set in any source. */
export const isGiven = (effective: Effective, name: string): boolean => {
  const origin = effective.get(name)?.origin
  return origin !== undefined && origin !== "default"
}
