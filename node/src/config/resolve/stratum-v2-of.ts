import { networkPlaceOf, versionRequirementOf } from "@lockstep/protocol/module-manifest/index.ts"
import type { ModulesConfig } from "../config.ts"
import { type Effective, optionalValue, valueOf } from "../given/effective.ts"

/** The module that `[stratum_v2]` configures. */
const MODULE = "stratum-v2"

type OfModules = Pick<ModulesConfig, "pins" | "places" | "settings">

const withModule = <A>(map: ReadonlyMap<string, A>, value: A): ReadonlyMap<string, A> =>
  new Map([...map, [MODULE, value]])

/** Adds `[stratum_v2]` to the entry of the module. */
export const withStratumV2 = (effective: Effective, modules: OfModules): OfModules => {
  if (!valueOf(effective, "stratum_v2.enabled")) return modules
  const pins = modules.pins.has(MODULE)
    ? modules.pins
    : withModule(modules.pins, { written: "*", requirement: versionRequirementOf("*")! })
  const address = optionalValue(effective, "stratum_v2.listen_addr")
  if (address === undefined) return { ...modules, pins }
  const own = modules.places.get(MODULE)
  return {
    pins,
    settings: withModule(modules.settings, { ...modules.settings.get(MODULE), MODULE_CONFIG_LISTEN: address }),
    places: withModule(modules.places, { listen: own?.listen ?? [networkPlaceOf(address)!], connect: own?.connect })
  }
}

/** Describes problems of `[stratum_v2]`. */
export const stratumV2Problems = (effective: Effective): ReadonlyArray<string> => {
  if (!valueOf(effective, "stratum_v2.enabled")) return []
  const { source } = effective.get("stratum_v2.enabled")!
  const settings = effective.get(`modules.${MODULE}`)?.value
  const isTwice = optionalValue(effective, "stratum_v2.listen_addr") !== undefined &&
    typeof settings === "object" && settings !== null && "listen" in settings
  return [
    ...valueOf(effective, "modules.enabled")
      ? []
      : [`${source}: Stratum V2 is a module, and modules are off; say [modules].enabled = true`],
    ...isTwice
      ? [`${source}: [stratum_v2].listen_addr and [modules.${MODULE}].listen are one setting; keep one`]
      : []
  ]
}
