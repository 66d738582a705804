import {
  type NetworkPlace,
  networkPlaceOf,
  type Pin,
  versionRequirementOf
} from "@lockstep/protocol/module-manifest/index.ts"
import type { ModulesConfig } from "../config.ts"
import { KEYS, shownKey } from "../catalogue.ts"
import { type Effective, optionalValue, valueOf } from "../given/effective.ts"
import type { Given } from "../given/given.ts"
import { absolutePath, type HostMachine } from "./machine.ts"
import { withStratumV2 } from "./stratum-v2-of.ts"

const PREFIX = "modules."

/** Entries under the names of modules. */
const entriesOf = (effective: Effective): ReadonlyArray<Given> =>
  [...effective.values()].filter(({ key }) => key.startsWith(PREFIX) && !KEYS.has(key))

const nameIn = ({ key }: Given): string => key.slice(PREFIX.length)

/** Returns the requested version of a module: its whole entry, or `version` among its settings. */
const wantedVersion = ({ value }: Given): unknown => isTable(value) ? value["version"] : value

const pinsOf = (entries: ReadonlyArray<Given>): ReadonlyMap<string, Pin> =>
  new Map(entries.flatMap((given) => {
    const written = wantedVersion(given)
    const requirement = typeof written === "string" ? versionRequirementOf(written) : undefined
    return requirement === undefined ? [] : [[nameIn(given), { written: written as string, requirement }]]
  }))

/** Returns the variable of a setting: `MODULE_CONFIG_MAX_SIZE` for `max-size`. */
const variableOf = (setting: string): string => `MODULE_CONFIG_${setting.replaceAll("-", "_").toUpperCase()}`

/** Formats a value as a text: lists and tables as JSON. */
const textOf = (value: unknown): string =>
  typeof value === "object" && value !== null && !(value instanceof Date)
    ? JSON.stringify(value, (_, each: unknown) => typeof each === "bigint" ? Number(each) : each)
    : String(value)

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const PLACES = ["network_listen", "network_connect"]

/** Settings of the node about a module, which the module does not see. */
const OWN_SETTINGS: ReadonlySet<string> = new Set([...PLACES, "version"])

const isOwnSetting = (name: string): boolean => OWN_SETTINGS.has(name)

/** Parses network addresses of a module. Returns `undefined` if the value is no such list. */
const placesIn = (value: unknown): ReadonlyArray<NetworkPlace> | undefined => {
  const found = Array.isArray(value)
    ? value.map((each) => typeof each === "string" ? networkPlaceOf(each) : undefined)
    : [undefined]
  return found.every((place) => place !== undefined) ? found : undefined
}

const placesOf = (entries: ReadonlyArray<Given>): ModulesConfig["places"] =>
  new Map(entries.flatMap((given) => {
    if (!isTable(given.value)) return []
    const { network_connect: connect, network_listen: listen } = given.value
    return [[nameIn(given), { listen: placesIn(listen), connect: placesIn(connect) }]]
  }))

const settingsOf = (entries: ReadonlyArray<Given>): ModulesConfig["settings"] =>
  new Map(entries.flatMap((given) => {
    if (!isTable(given.value)) return []
    const variables = Object.entries(given.value).filter(([name]) => !isOwnSetting(name)).map((
      [name, value]
    ) => [variableOf(name), textOf(value)])
    return [[nameIn(given), Object.fromEntries(variables)]]
  }))

/** `[modules]` and `[module_resource_limits]`. */
export const modulesOf = (effective: Effective, machine: HostMachine): ModulesConfig | undefined => {
  if (!valueOf(effective, "modules.enabled")) return undefined
  const entries = entriesOf(effective)
  return {
    directory: absolutePath(valueOf(effective, "modules.modules_dir"), machine),
    socketDirectory: absolutePath(valueOf(effective, "modules.socket_dir"), machine),
    registryUrl: optionalValue(effective, "modules.registry_url"),
    ...withStratumV2(effective, {
      pins: pinsOf(entries),
      settings: settingsOf(entries),
      places: placesOf(entries)
    }),
    requiresSignatures: valueOf(effective, "modules.require_signatures"),
    trustedKeys: valueOf(effective, "modules.trusted_keys").map((key) => key.toLowerCase()),
    restartsCrashed: valueOf(effective, "modules.restart_crashed"),
    watchesFiles: valueOf(effective, "modules.watch_enabled"),
    allowsUnconfined: valueOf(effective, "modules.allow_unconfined"),
    allowsMissingHandshake: valueOf(effective, "modules.allow_missing_handshake"),
    limits: {
      memoryBytes: valueOf(effective, "module_resource_limits.default_max_memory_bytes"),
      processorPercent: valueOf(effective, "module_resource_limits.default_max_cpu_percent"),
      openFiles: valueOf(effective, "module_resource_limits.default_max_file_descriptors"),
      diskBytes: valueOf(effective, "module_resource_limits.default_max_disk_bytes")
    }
  }
}

const EXPECTED_VERSION = "expected a version such as 0.1.*, 1.2.3, ^1.2.0 or >=1.0.0, <2.0.0"

const isRequirement = (value: unknown): boolean =>
  typeof value === "string" && versionRequirementOf(value) !== undefined

const SETTING = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

const settingProblems = (given: Given, settings: Readonly<Record<string, unknown>>): ReadonlyArray<string> => {
  const seen = new Map<string, string>()
  return Object.entries(settings).flatMap(([name, value]) => {
    const where = `${given.source}: [${given.key}].${name}`
    if (name === "version") return isRequirement(value) ? [] : [`${where}: ${EXPECTED_VERSION}`]
    if (isOwnSetting(name)) {
      return placesIn(value) === undefined
        ? [`${where}: expected a list of places such as ["127.0.0.1:3333", "*:443"]`]
        : []
    }
    if (!SETTING.test(name)) return [`${where}: a setting has letters, digits, - and _, a letter first; rename it`]
    const same = seen.get(variableOf(name))
    seen.set(variableOf(name), name)
    if (same !== undefined) return [`${where}: ${same} is the same variable for the module; keep one`]
    return textOf(value).includes("\0") ? [`${where}: a setting has no zero byte; remove it`] : []
  })
}

/** Describes settings that keep modules from being downloaded. */
const registryProblems = (effective: Effective): ReadonlyArray<string> => {
  if (optionalValue(effective, "modules.registry_url") === undefined) return []
  const where = `${effective.get("modules.registry_url")!.source}: [modules].registry_url`
  const isBehindProxy = (optionalValue(effective, "connections.proxy") ?? "") !== ""
  return [
    ...valueOf(effective, "modules.trusted_keys").length > 0
      ? []
      : [`${where}: name the keys that sign its checksums in [modules].trusted_keys`],
    ...isBehindProxy
      ? [`${where}: the node has a proxy, and downloads would not go through it; remove one of them`]
      : []
  ]
}

/** Describes invalid entries under the names of modules. */
export const moduleProblems = (effective: Effective): ReadonlyArray<string> => {
  const entries = entriesOf(effective)
  const wrong = entries.flatMap((given) => {
    if (isTable(given.value)) return settingProblems(given, given.value)
    return isRequirement(given.value) ? [] : [`${given.source}: ${shownKey(given.key)}: ${EXPECTED_VERSION}`]
  })
  const first = [...effective.values()].find(({ key, origin }) => key.startsWith(PREFIX) && origin !== "default")
  const isOff = first !== undefined && effective.get("modules.enabled")?.origin === "default"
  const registry = registryProblems(effective)
  return isOff
    ? [
      ...wrong,
      ...registry,
      `${first.source}: ${shownKey(first.key)}: modules are off; say [modules].enabled = true or false`
    ]
    : [...wrong, ...registry]
}
