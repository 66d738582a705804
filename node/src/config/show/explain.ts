import type { NodeConfig } from "../config.ts"
import { FILE_KEYS, keyCalled, KEYS, OPTION_ONLY_KEYS, shownKey } from "../catalogue.ts"
import { isGiven } from "../given/effective.ts"
import { printHostPort } from "../host-port.ts"
import type { LoadedConfig } from "../load-config.ts"
import { NETWORK_TABLE } from "../network-table.ts"
import { tomlValue } from "./toml-value.ts"

/** One effective value. */
interface Row {
  readonly key: string
  /** `undefined` if unset. */
  readonly value: unknown
  readonly origin: string
  readonly source: string
}

const UNSET = { origin: "default", source: "default" }

/** Values that follow from other values, or from the machine. */
const derived = (config: NodeConfig): ReadonlyMap<string, unknown> =>
  new Map<string, unknown>([
    ["network", NETWORK_TABLE[config.network].option],
    ["protocol_version", NETWORK_TABLE[config.network].protocolVersion],
    ["rpc_addr", printHostPort(config.rpc.bind)],
    ["listen_addr", printHostPort(config.peers.listen)],
    ["validation.script_workers", config.validation.scriptWorkers],
    ["storage.pruning.mode", pruningMode(config)]
  ])

/** Describes the pruning in the words of `mode`. Returns `undefined` if that is what is set. */
const pruningMode = ({ storage: { pruning } }: NodeConfig): string | undefined => {
  switch (pruning._tag) {
    case "Disabled":
      return "disabled"
    case "Manual":
      return "manual"
    case "TargetSize":
      return "normal"
    case "KeepBlocks":
      return undefined
  }
}

/** Returns the key that decides about another one, if that is not set itself. */
const decisiveFor = (name: string, effective: LoadedConfig["effective"]): string => {
  if (name === "network" || name === "protocol_version") {
    return effective.has("network")
      ? "network"
      : "protocol_version"
  }
  if (name !== "storage.pruning.mode" || isGiven(effective, name)) return name
  return isGiven(effective, "storage.pruning.target_mb") ? "storage.pruning.target_mb" : name
}

const hidden = (value: unknown): unknown => {
  if (value === undefined) return undefined
  if (!Array.isArray(value)) return "(hidden)"
  return value.length === 0 ? [] : `(${value.length} hidden)`
}

const rowsOf = ({ config, effective }: LoadedConfig): ReadonlyArray<Row> => {
  const values = derived(config)
  const modules = [...effective.keys()].filter((key) => !KEYS.has(key))
  return [...OPTION_ONLY_KEYS, ...FILE_KEYS].map(({ name }) => name).concat(modules).map((name) => {
    const given = effective.get(name)
    const value = values.get(name) ?? given?.value
    const isSecret = !KEYS.has(name) || keyCalled(name).facts.secret === true
    const { origin, source } = effective.get(decisiveFor(name, effective)) ?? UNSET
    return { key: name, value: isSecret ? hidden(value) : value, origin, source }
  }).filter(({ key, value }) => value !== undefined || !OPTION_ONLY_KEYS.some(({ name }) => name === key))
}

const valueText = ({ value }: Row): string => value === undefined ? "unset" : tomlValue(value)

const originText = ({ origin, source }: Row): string => origin === "default" ? "default" : `${origin}: ${source}`

const headOf = ({ config }: LoadedConfig): ReadonlyArray<string> => [
  `# file: ${config.file ?? "none was found"}`,
  `# data directory of this network: ${config.dataDirectory}`
]

/** Lists every effective value with its source, for people. Secrets are not shown. */
export const explainText = (loaded: LoadedConfig): string => {
  const rows = rowsOf(loaded).map((row) => [shownKey(row.key), valueText(row), originText(row)])
  const widths = [0, 1].map((column) => Math.min(60, Math.max(...rows.map((row) => row[column]!.length))))
  const lines = rows.map(([key, value, origin]) =>
    `${key!.padEnd(widths[0]!)}  ${value!.padEnd(widths[1]!)}  ${origin}`
  )
  return [...headOf(loaded), ...lines].join("\n")
}

/** Lists the same for programs. */
export const explainJson = (loaded: LoadedConfig): string =>
  JSON.stringify(
    {
      file: loaded.config.file ?? null,
      data_directory: loaded.config.dataDirectory,
      values: Object.fromEntries(
        rowsOf(loaded).map(({ key, origin, source, value }) => [key, { value: value ?? null, origin, source }])
      )
    },
    undefined,
    2
  )
