import * as Result from "effect/Result"
import { keyCalled } from "../catalogue.ts"
import { parseLogFilter } from "../log-filter.ts"
import { nearest } from "@lockstep/protocol/nearest-name.ts"
import { NOTHING_GIVEN, partRefused, problemFound, type Reading, readingOf, valueGiven } from "./given.ts"
import { judgeText } from "./judge-value.ts"

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>

/** Variables and their keys, later ones stronger. Other names are ignored: `NODE_` is also the prefix of Node.js. */
export const VARIABLES: ReadonlyArray<readonly [variable: string, key: string]> = [
  ["RUST_LOG", "logging.level"],
  ["NODE_LOG_LEVEL", "logging.level"],
  ["NODE_DATA_DIR", "storage.data_dir"],
  ["NODE_NETWORK", "network"],
  ["NODE_LISTEN_ADDR", "listen_addr"],
  ["NODE_RPC_ADDR", "rpc_addr"],
  ["NODE_NODE_MAX_PEERS", "max_peers"],
  ["NODE_NODE_TRANSPORT", "transport_preference"],
  ["NODE_NETWORK_TARGET_PEER_COUNT", "target_peer_count"],
  ["NODE_ASSUME_VALID_HEIGHT", "validation.assume_valid"],
  ["NODE_REUSE_CORE_BLOCK_FILES", "storage.reuse_core_block_files"],
  ["NODE_CORE_MIGRATE_BLOCK_WORKERS", "core_migrate_block_workers"],
  ["NODE_CORE_MIGRATE_BLOCK_BATCH", "core_migrate_block_batch"],
  ["NODE_IBD_MODE", "ibd.mode"],
  ["NODE_IBD_EVICTION", "ibd.eviction"],
  ["NODE_IBD_CHUNK_SIZE", "ibd.chunk_size"],
  ["NODE_IBD_MAX_BLOCKS_IN_TRANSIT_PER_PEER", "ibd.max_blocks_in_transit_per_peer"],
  ["NODE_IBD_DOWNLOAD_TIMEOUT_SECS", "ibd.download_timeout_secs"],
  ["NODE_IBD_HEADERS_TIMEOUT_SECS", "ibd.headers_timeout_secs"],
  ["NODE_IBD_HEADERS_MAX_FAILURES", "ibd.headers_max_failures"],
  ["NODE_IBD_DUMP_DIR", "ibd.dump_dir"],
  ["NODE_IBD_PEERS", "ibd_peers"],
  ["NODE_IBD_ENGINE", "ibd_engine"],
  ["NODE_IBD_WAN_SINGLE_PEER", "ibd_wan_single_peer"],
  ["NODE_MODULE_MAX_CPU_PERCENT", "module_resource_limits.default_max_cpu_percent"],
  ["NODE_MODULE_MAX_MEMORY_BYTES", "module_resource_limits.default_max_memory_bytes"],
  ["NODE_MODULE_MAX_FILE_DESCRIPTORS", "module_resource_limits.default_max_file_descriptors"],
  ["NODE_MODULE_MAX_DISK_BYTES", "module_resource_limits.default_max_disk_bytes"],
  ["NODE_MODULE_MAX_CHILD_PROCESSES", "module_resource_limits.default_max_child_processes"],
  ["RPC_AUTH_TOKENS", "rpc_auth.tokens"]
]

/** Prefixes of variables for parts that are not built. Every variable with them is the node's. */
const FAMILIES: ReadonlyArray<readonly [prefix: string, part: string]> = [
  ["NODE_REQUEST_", "changing the timeouts of requests to peers"]
]

/** Prefixes of variables that are all the node's. */
const OURS = ["NODE_IBD_", "NODE_MODULE_MAX_"]

const KNOWN = new Set(VARIABLES.map(([variable]) => variable))

const unknownOf = (family: string, name: string): Reading => {
  const known = [...KNOWN].filter((variable) => variable.startsWith(family))
  const near = nearest(name, known)
  const hint = near === undefined ? "." : `; did you mean ${near}?`
  return problemFound(`${name} is not a known variable${hint} Unset it; known are ${known.join(", ")}`)
}

const readFamilies = (environment: EnvironmentVariables): Reading =>
  readingOf(
    Object.keys(environment).filter((name) => !KNOWN.has(name) && environment[name] !== "").flatMap((name) => {
      const family = OURS.find((prefix) => name.startsWith(prefix))
      return family !== undefined
        ? [unknownOf(family, name)]
        : FAMILIES.filter(([prefix]) => name.startsWith(prefix))
          .map(([, part]) => partRefused(`${name}: ${part} is not in this build; unset the variable`))
    })
  )

const readVariable = (variable: string, key: string, text: string): Reading => {
  // Programs written in Rust share this one, with a richer syntax.
  if (variable === "RUST_LOG" && parseLogFilter(text) === undefined) return NOTHING_GIVEN
  if (variable === "NODE_ASSUME_VALID_HEIGHT" && !/^\d{1,9}$/.test(text)) {
    return problemFound(`${variable}: expected a height, found ${JSON.stringify(text)}`)
  }
  const judged = judgeText(keyCalled(key), text)
  if (Result.isFailure(judged)) return problemFound(`${variable}: ${judged.failure}`)
  return valueGiven({ key, value: judged.success, origin: "environment", source: variable })
}

/** Reads the documented variables. An empty variable counts as unset. */
export const readEnvironment = (environment: EnvironmentVariables): Reading =>
  readingOf([
    ...VARIABLES.map(([variable, key]) => {
      const text = environment[variable]?.trim() ?? ""
      return text === "" ? NOTHING_GIVEN : readVariable(variable, key, text)
    }),
    readFamilies(environment)
  ])
