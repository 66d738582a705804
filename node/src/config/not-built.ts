import { type Effective, isGiven } from "./given/effective.ts"
import type { Given } from "./given/given.ts"
import { shownKey } from "./catalogue.ts"

/** A key whose part of the node does not exist yet, and the values that ask for nothing beyond what the node does anyway. */
interface NotBuilt {
  readonly key: string
  /** Completes "… is not in this build". */
  readonly part: string
  readonly accepts: ReadonlyArray<unknown>
  /** What to write instead. */
  readonly instead: string
}

const only = (key: string, part: string, ...accepts: ReadonlyArray<unknown>): NotBuilt => ({
  key,
  part,
  accepts,
  instead: accepts.length === 0 ? "leave it out" : `leave it out or use ${JSON.stringify(accepts[0])}`
})

const MODULES = "running modules"
const TAKE_OVER = "taking over a reference data directory"

const NOT_BUILT: ReadonlyArray<NotBuilt> = [
  only("transport_preference", "any transport but TCP", "tcponly"),
  only("async_request_timeout", "connecting to other nodes"),
  only("ibd.dump_dir", "dumping the state of a download"),
  only("ibd_engine", "the age-tiered store of coins", false),
  only("modules.enabled", MODULES, false),
  only("module_max_cpu_percent", MODULES),
  only("module_max_memory_bytes", MODULES),
  only("migrate_destination", TAKE_OVER),
  only("migrate_core_only", TAKE_OVER, false),
  only("core_migrate_block_workers", TAKE_OVER),
  only("core_migrate_block_batch", TAKE_OVER),
  only("stratum_v2", "Stratum V2", false),
  only("dandelion", "Dandelion++", false),
  only("sigop", "counting signature operations for relay", false),
  only("assumeutxo", "starting from a snapshot of the coins")
]

/** Top-level tables of parts that do not exist yet. */
export const NOT_BUILT_TABLES: Readonly<Record<string, string>> = {
  governance: "governance",
  stratum_v2: "Stratum V2",
  mempool: "the mempool",
  rbf: "the mempool",
  payment: "payments",
  relay: "connecting to other nodes",
  dandelion: "Dandelion++",
  fibre: "FIBRE",
  dos_protection: "connecting to other nodes",
  network_timing: "connecting to other nodes",
  request_timeouts: "connecting to other nodes",
  address_database: "connecting to other nodes",
  peer_rate_limiting: "connecting to other nodes",
  spam_ban: "connecting to other nodes",
  ban_list_sharing: "connecting to other nodes",
  ibd_protection: "connecting to other nodes",
  replay_protection: "connecting to other nodes",
  background_tasks: "connecting to other nodes",
  module_resource_limits: MODULES
}

const same = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)

const moduleKeyWithoutSwitch = (given: Given, all: Effective): string | undefined => {
  if (given.origin === "default" || !given.key.startsWith("modules.") || isGiven(all, "modules.enabled")) return undefined
  return `${given.source}: ${shownKey(given.key)}: ${MODULES} is not in this build; say [modules].enabled = false to go without`
}

const refusalOf = (given: Given, all: Effective): string | undefined => {
  const found = NOT_BUILT.find(({ key }) => key === given.key)
  if (found === undefined || found.accepts.some((value) => same(value, given.value))) return moduleKeyWithoutSwitch(given, all)
  const what = given.origin === "file" ? `${shownKey(given.key)}: ` : ""
  return `${given.source}: ${what}${found.part} is not in this build; ${found.instead}`
}

/** A line for each value that asks for something that this build cannot do. */
export const refusals = (all: Effective): ReadonlyArray<string> =>
  [...all.values()].flatMap((given) => refusalOf(given, all) ?? [])
