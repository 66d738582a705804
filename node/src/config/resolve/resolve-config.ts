import * as Result from "effect/Result"
import { join } from "node:path"
import type { AssumedValid } from "../../engine/options/engine-options.ts"
import { INDEXES, indexSwitches } from "../../engine/options/index-switches.ts"
import { anySettingName, settingName } from "../../front/setting-name.ts"
import type { LogLevel, NodeConfig } from "../config.ts"
import { downloadOf, protocolLimitsOf } from "./download-of.ts"
import { type Effective, isGiven, optionalValue, valueOf } from "../given/effective.ts"
import { isLoopbackSubnet, parseHostPort, printHostPort } from "../host-port.ts"
import { isLoopback } from "../loopback.ts"
import { logLevelCalled, parseLogFilter } from "../log-filter.ts"
import { NETWORK_TABLE, networkOfOption, networkOfProtocolVersion, type NetworkRow } from "../network-table.ts"
import { FOREIGN_ENGINES } from "../schema/storage-table.ts"
import type { Settings, ValueAt } from "../schema/settings.ts"
import { credentialsOf, isOpenToAll } from "./credentials.ts"
import { listeningProblems } from "./listening.ts"
import { absolutePath, type HostMachine } from "./machine.ts"
import { mempoolOf, mempoolProblems, mempoolWarnings } from "./mempool-of.ts"
import { miningOf, miningProblems } from "./mining-of.ts"
import { moduleProblems, modulesOf } from "./modules-of.ts"
import { stratumV2Problems } from "./stratum-v2-of.ts"
import {
  filterProblems,
  onionProblems,
  onlynetProblems,
  packageProblems,
  peersOf,
  privateBroadcastProblems,
  privateBroadcastWarnings,
  transportProblems
} from "./peers-of.ts"
import { pruningOf } from "./pruning.ts"
import { quicRpcOf, quicRpcProblems } from "./quic-rpc.ts"
import { restBindOf, restProblems } from "./rest.ts"

/** Facts on disk that the configuration refers to. */
export interface ConfigSurroundings {
  readonly machine: HostMachine
  readonly file: string | undefined
  /** Tokens of `token_file`, if it is used. */
  readonly tokens: ReadonlyArray<string> | undefined
  /** Reports whether Bitcoin Core keeps `network` in `directory`. */
  readonly isCoreDirectory: (directory: string, network: NetworkRow) => boolean
}

/** The tables with at least one key that is set in any source. */
const sectionsOf = (effective: Effective): ReadonlyArray<string> => {
  const keys = [...effective.keys()].filter((key) => isGiven(effective, key))
  return [...new Set(keys.map((key) => key.includes(".") ? key.slice(0, key.lastIndexOf(".")) : ""))].toSorted()
}

export interface Resolved {
  readonly config: NodeConfig
  readonly problems: ReadonlyArray<string>
}

/** Returns the requested network: an option or variable is stronger than the file. */
export const networkOf = (effective: Effective): NetworkRow =>
  networkOfOption(optionalValue(effective, "network") ?? "") ??
    networkOfProtocolVersion(valueOf(effective, "protocol_version")) ?? NETWORK_TABLE.regtest

const assumedValidOf = (value: ValueAt<Settings, "validation.assume_valid">): AssumedValid => {
  if (value === "default") return { _tag: "NetworkDefault" }
  if (value === "none" || value === 0 || value === "0".repeat(64)) return { _tag: "Nothing" }
  return typeof value === "number" ? { _tag: "Height", height: value } : { _tag: "Block", hash: value.toLowerCase() }
}

const loggingOf = (effective: Effective, machine: HostMachine): NodeConfig["logging"] => {
  const filter = parseLogFilter(valueOf(effective, "logging.level"))
  const categories: Record<string, LogLevel> = { ...filter?.categories }
  for (const [category, word] of Object.entries(valueOf(effective, "logging.categories"))) {
    categories[category] = logLevelCalled(word) ?? "info"
  }
  const isJson = optionalValue(effective, "logging.json_format")
  const file = optionalValue(effective, "logging.file")
  const format = isJson === undefined ? "auto" : isJson ? "json" : "human"
  return { level: filter?.level ?? "info", categories, format, file: file && absolutePath(file, machine) }
}

/** Maximum number of script workers; each has its own heap. */
const MOST_WORKERS = 64

/** Returns the number of workers. No processor is left free for the engine, which mostly waits for scripts. */
const workersOf = (wanted: number, { processors }: HostMachine): number =>
  wanted === 0 ? Math.min(MOST_WORKERS, Math.max(1, processors)) : wanted

const ratesOf = (effective: Effective): NodeConfig["rpc"]["limits"]["rates"] => ({
  address: { burst: valueOf(effective, "rpc.ip_rate_limit_burst"), rate: valueOf(effective, "rpc.ip_rate_limit_rate") },
  user: {
    burst: valueOf(effective, "rpc_auth.rate_limit_burst"),
    rate: valueOf(effective, "rpc_auth.rate_limit_rate")
  },
  connections: valueOf(effective, "rpc.max_connections_per_ip_per_minute"),
  connectionWindowSeconds: valueOf(effective, "rpc.connection_rate_limit_window_seconds"),
  batchCap: valueOf(effective, "rpc.batch_rate_multiplier_cap"),
  failures: valueOf(effective, "rpc.max_failed_credentials"),
  blockSeconds: valueOf(effective, "rpc.failed_credentials_block_secs"),
  whenAuthDisabled: valueOf(effective, "rpc.rate_limit_when_auth_disabled"),
  ofLoopback: valueOf(effective, "rpc.rate_limit_loopback"),
  ofAdmins: valueOf(effective, "rpc.rate_limit_admins")
})

const rpcOf = (
  effective: Effective,
  network: NetworkRow,
  credentials: NodeConfig["rpc"]["credentials"]
): NodeConfig["rpc"] => ({
  bind: parseHostPort(optionalValue(effective, "rpc_addr") ?? "") ?? network.rpc,
  credentials,
  allowed: valueOf(effective, "rpc.allow_ip"),
  limits: {
    maxRequestBytes: valueOf(effective, "rpc.max_request_size_bytes"),
    workQueue: valueOf(effective, "rpc.work_queue"),
    requestTimeoutSeconds: valueOf(effective, "rpc.request_timeout_secs"),
    rates: ratesOf(effective)
  },
  deprecated: valueOf(effective, "rpc.deprecated"),
  quic: quicRpcOf(effective)
})

const storageOf = (effective: Effective, machine: HostMachine): NodeConfig["storage"] => {
  const engine = valueOf(effective, "storage.database_backend")
  const blocks = optionalValue(effective, "storage.core_blocks_dir")
  return {
    backend: engine === "heed3" || engine === "leveldb" ? engine : "auto",
    dbcacheMegabytes: valueOf(effective, "storage.dbcache_mb"),
    coinEviction: valueOf(effective, "ibd.eviction"),
    pruning: Result.getOrElse(pruningOf(effective), () => ({ _tag: "Disabled" as const })),
    ...indexSwitches((each) => valueOf(effective, `storage.indexing.${INDEXES[each].key}`)),
    minimumFreeMegabytes: valueOf(effective, "storage.min_free_disk_mb"),
    maintenanceSeconds: valueOf(effective, "storage.maintenance_interval_secs"),
    coreBlocks: blocks === undefined ? undefined : absolutePath(blocks, machine),
    copyCoreBlocks: !valueOf(effective, "storage.reuse_core_block_files")
  }
}

const ACTIVATION_HEIGHTS = "regtest.activation_heights."

const activationHeightsOf = (effective: Effective): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...effective.values()].filter(({ key }) => key.startsWith(ACTIVATION_HEIGHTS))
      .map(({ key, value }) => [key.slice(ACTIVATION_HEIGHTS.length), Number(value)])
  )

const warningsOf = (effective: Effective, config: NodeConfig): ReadonlyArray<string> => {
  const { rest, rpc } = config
  const warnings: Array<string> = [...mempoolWarnings(effective, config)]
  const engine = valueOf(effective, "storage.database_backend")
  if (FOREIGN_ENGINES.some((foreign) => foreign === engine)) {
    warnings.push(
      `${anySettingName("[storage].database_backend")} = "${engine}" is not in this build; falling back to auto`
    )
  }
  if (!isLoopback(rpc.bind) && !rpc.credentials.required) {
    warnings.push(
      `RPC on ${printHostPort(rpc.bind)} answers other machines without credentials; set ${
        anySettingName("[rpc_auth].required")
      } = true`
    )
  }
  if (rest !== undefined && !isLoopback(rest.bind) && !rpc.credentials.required) {
    warnings.push(
      `REST on ${printHostPort(rest.bind)} answers other machines without credentials; set ${
        anySettingName("[rpc_auth].required")
      } = true`
    )
  }
  const isRpcFar = !isLoopback(rpc.bind) || (rest !== undefined && !isLoopback(rest.bind))
  if (!isRpcFar && rpc.allowed.some((text) => !isLoopbackSubnet(text))) {
    warnings.push(
      `${settingName("[rpc].allow_ip")} changes nothing while RPC listens on ${printHostPort(rpc.bind)}; set ${
        settingName("--rpc-addr")
      }`
    )
  }
  if (!valueOf(effective, "sigop")) {
    warnings.push(
      `${anySettingName("--disable-sigop")} changes nothing: the node always counts signature operations for relay`
    )
  }
  if (valueOf(effective, "bip158")) {
    warnings.push(
      `${anySettingName("--enable-bip158")} only states a preference: ${
        settingName("[storage.indexing].blockfilterindex")
      } = true makes compact block filters, ` +
        `and ${settingName("[connections].serve_block_filters")} = true serves them`
    )
  }
  return [...warnings, ...privateBroadcastWarnings(config.peers)]
}

const problemsOf = (effective: Effective, network: NetworkRow, config: NodeConfig): ReadonlyArray<string> => {
  const problems: Array<string> = []
  const pruning = pruningOf(effective)
  if (Result.isFailure(pruning)) problems.push(pruning.failure)
  if (Object.keys(config.validation.activationHeights).length > 0 && network.name !== "regtest") {
    problems.push(`[regtest.activation_heights]: the heights of ${network.option} are fixed; remove the table`)
  }
  if (config.validation.mockTime !== 0 && network.name !== "regtest") {
    problems.push(
      `${settingName("[regtest].mock_time")}: the clock of ${network.option} is the machine's; remove the key`
    )
  }
  const isOpen = !isLoopback(config.rpc.bind) && isOpenToAll(config.rpc.credentials)
  if (isOpen && !valueOf(effective, "unsafe_rpc_bind")) {
    problems.push(
      `RPC on ${
        printHostPort(config.rpc.bind)
      } would be open to other machines without credentials: set [rpc_auth] in the ` +
        `file or RPC_AUTH_TOKENS, or bind to 127.0.0.1. Give ${
          anySettingName("--unsafe-rpc-bind")
        } if something else keeps other machines out`
    )
  }
  return problems
}

/** Combines everything that was given; `problems` are lines for the operator. */
export const resolveConfig = (effective: Effective, around: ConfigSurroundings): Resolved => {
  const { machine } = around
  const network = networkOf(effective)
  const root = absolutePath(valueOf(effective, "storage.data_dir"), machine)
  const isCore = around.isCoreDirectory(root, network)
  const { credentials, problems } = credentialsOf(effective, around.tokens)
  const rpc = rpcOf(effective, network, credentials)
  const bare: NodeConfig = {
    network: network.name,
    file: around.file,
    sections: sectionsOf(effective),
    warnings: [],
    dataDirectory: isCore ? join(root, "node", network.option) : join(root, network.option),
    peers: peersOf(effective, network, machine),
    download: downloadOf(effective),
    protocolLimits: protocolLimitsOf(effective),
    rpc,
    rest: restBindOf(effective, rpc.bind),
    storage: storageOf(effective, machine),
    mempool: mempoolOf(effective, machine),
    mining: miningOf(effective),
    validation: {
      assumedValid: assumedValidOf(valueOf(effective, "validation.assume_valid")),
      scriptWorkers: workersOf(valueOf(effective, "validation.script_workers"), machine),
      activationHeights: activationHeightsOf(effective),
      mockTime: valueOf(effective, "regtest.mock_time")
    },
    logging: loggingOf(effective, machine),
    modules: modulesOf(effective, machine),
    shutdownTimeoutSeconds: valueOf(effective, "shutdown_timeout_secs")
  }
  const migration = isCore && valueOf(effective, "storage.auto_migrate_core")
    ? [
      `${root} is a data directory of Bitcoin Core, and migrating it is not in this build. Choose another ${
        settingName("--data-dir")
      }, ` +
      `or give ${anySettingName("--no-auto-migrate")} to keep our own data in ${join(root, "node")}; ${
        anySettingName("[storage].core_blocks_dir")
      } reads its blocks`
    ]
    : []
  return {
    config: { ...bare, warnings: warningsOf(effective, bare) },
    problems: [
      ...migration,
      ...problems,
      ...problemsOf(effective, network, bare),
      ...mempoolProblems(effective, bare, network),
      ...miningProblems(bare, network),
      ...restProblems(effective, bare),
      ...listeningProblems(bare),
      ...moduleProblems(effective),
      ...stratumV2Problems(effective),
      ...filterProblems(bare),
      ...onlynetProblems(effective, bare.peers),
      ...quicRpcProblems(effective, bare.rpc),
      ...packageProblems(bare.peers),
      ...privateBroadcastProblems(bare.peers),
      ...onionProblems(effective, bare.peers),
      ...transportProblems(effective, bare.peers)
    ]
  }
}
