import { KEYS } from "../catalogue.ts"
import type { Settings, ValueAt } from "../schema/settings.ts"
import type { Given } from "./given.ts"

/** The values that hold, by key. */
export type Effective = ReadonlyMap<string, Given>

const DEFAULTS: ReadonlyArray<Given> = [...KEYS.values()]
  .filter(({ facts }) => facts.fallback !== undefined)
  .map(({ facts, name }) => ({ key: name, value: facts.fallback, origin: "default", source: "default" }))

/** Lays sources over the defaults: later ones are stronger. */
export const effectiveOf = (...sources: ReadonlyArray<ReadonlyArray<Given>>): Effective => {
  const values = new Map<string, Given>()
  for (const given of [DEFAULTS, ...sources].flat()) values.set(given.key, given)
  return values
}

/** The value of a key that may be unset. What it is was judged by the schema of the key when it was read. */
export const optionalValue = <const Name extends string>(
  effective: Effective,
  name: Name
): ValueAt<Settings, Name> | undefined => effective.get(name)?.value as ValueAt<Settings, Name> | undefined

/** The value of a key that has a default. */
export const valueOf = <const Name extends string>(effective: Effective, name: Name): ValueAt<Settings, Name> =>
  optionalValue(effective, name)!

/** Whether the key is set anywhere. */
export const isGiven = (effective: Effective, name: string): boolean => {
  const origin = effective.get(name)?.origin
  return origin !== undefined && origin !== "default"
}
