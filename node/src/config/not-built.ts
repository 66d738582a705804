import type { Effective } from "./given/effective.ts"
import type { Given } from "./given/given.ts"
import { shownKey } from "./catalogue.ts"

/** A key of a part that does not exist yet, and the values that request only what the node does anyway. */
interface NotBuilt {
  readonly key: string
  /** Completes "… is not in this build". */
  readonly part: string
  readonly accepts: ReadonlyArray<unknown>
  /** True if `part` is a whole reason. */
  readonly isDeclined?: boolean
  /** The setting to write instead. */
  readonly instead: string
}

const only = (key: string, part: string, ...accepts: ReadonlyArray<unknown>): NotBuilt => ({
  key,
  part,
  accepts,
  instead: accepts.length === 0 ? "leave it out" : `leave it out or use ${JSON.stringify(accepts[0])}`
})

/** Describes a key that the node deliberately does not support. */
const declined = (key: string, part: string, ...accepts: ReadonlyArray<unknown>): NotBuilt => ({
  ...only(key, part, ...accepts),
  isDeclined: true
})

const MIGRATION = "migrating a data directory of Bitcoin Core"
const REQUEST_TIMEOUTS = "changing the timeouts of requests to peers"

const CLUSTERS = "transactions that hang together are limited as clusters: set max_cluster_count and max_cluster_size"
const REQUESTED = "a peer may send what the node requests of it, and the node requests 100 transactions at once, as " +
  "Bitcoin Core does"

const NOT_BUILT: ReadonlyArray<NotBuilt> = [
  only("async_request_timeout", REQUEST_TIMEOUTS),
  only("ibd.dump_dir", "dumping the state of a download"),
  only("ibd_engine", "the age-tiered store of coins", false),
  declined("module_resource_limits.default_max_child_processes", "a module may start no other process", 0),
  only("migrate_destination", MIGRATION),
  only("migrate_core_only", MIGRATION, false),
  only("core_migrate_block_workers", MIGRATION),
  only("core_migrate_block_batch", MIGRATION),
  declined("stratum_v2.transport_preference", "miners connect over TCP alone", "tcponly"),
  declined("stratum_v2.pool_url", "the module makes jobs of this node's templates, and passes on none of a pool"),
  only("stratum_v2.merge_mining_enabled", "merge mining", false),
  only("stratum_v2.secondary_chains", "merge mining", []),
  only("stratum_v2.merge_mining_fee.enabled", "merge mining", false),
  only("stratum_v2.merge_mining_fee.fee_percentage", "merge mining", 1),
  only("stratum_v2.merge_mining_fee.commons_address", "merge mining"),
  only("stratum_v2.merge_mining_fee.contributor_id", "merge mining"),
  only("stratum_v2.merge_mining_fee.auto_distribute", "merge mining", false),
  declined(
    "stratum_v2.p2p_stratum_demux",
    "bytes of miners would pass the port of peers without the limits of either: miners connect to listen_addr",
    false
  ),
  only("relay.enable_erlay", "Erlay, which needs a binding to minisketch that is maintained,", false),
  only("relay.enable_block_relay", "a node that relays no blocks", true),
  only("relay.enable_tx_relay", "another switch than [connections].blocks_only for relaying transactions", true),
  only("relay.max_relay_age", "changing how long something is relayed"),
  only("relay.max_tracked_items", "changing how much is remembered of what was relayed"),
  declined(
    "dandelion.max_stem_hops",
    "a count of hops would show each peer on the stem how near the source is: fluff_probability decides the length"
  ),
  only("assumeutxo", "starting from a snapshot of the coins"),
  declined(
    "storage.indexing.strategy",
    "making an index when it is asked for would take hours at the first look-up",
    "eager"
  ),
  declined(
    "storage.indexing.max_indexed_addresses",
    "an index of some addresses would answer wrongly for the others",
    0
  ),
  declined("storage.indexing.enable_compression", "entries are hashes and amounts, which do not get smaller", false),
  declined("storage.indexing.background_indexing", "blocks would wait for an index that is behind the chain", true),
  declined("mempool.max_ancestor_count", CLUSTERS, 25),
  declined("mempool.max_ancestor_size", CLUSTERS, 101_000),
  declined("mempool.max_descendant_count", CLUSTERS, 25),
  declined("mempool.max_descendant_size", CLUSTERS, 101_000),
  declined(
    "mempool.eviction_strategy",
    "cheap transactions could push out ones that pay more, for free, by any other order",
    "lowestfeerate",
    "lowest_fee_rate"
  ),
  declined("mempool.min_tx_fee", "a fee says nothing without a size: set min_relay_fee_rate", 0),
  declined("mempool.tx_rate_limit_burst", REQUESTED, 0),
  declined("mempool.tx_rate_limit_per_sec", REQUESTED, 0),
  declined("mempool.tx_byte_rate_limit", REQUESTED, 0),
  declined("mempool.tx_byte_rate_burst", REQUESTED, 0)
]

/** Top-level tables of parts that do not exist yet, or that exist and cannot be configured. */
export const NOT_BUILT_TABLES: Readonly<Record<string, string>> = {
  governance: "governance",
  payment: "payments",
  fibre: "FIBRE",
  dos_protection: "changing the limits of inbound connections and of message queues",
  network_timing: "changing the times of the network layer",
  request_timeouts: REQUEST_TIMEOUTS,
  address_database: "changing the size of addrman",
  peer_rate_limiting: "changing how many messages of a peer are taken",
  spam_ban: "banning peers for spam transactions",
  ban_list_sharing: "sharing ban lists with other nodes",
  ibd_protection: "limiting what a peer may download",
  replay_protection: "changing how long ids of messages are remembered",
  background_tasks: "changing the intervals of background work"
}

const same = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)

const refusalOf = (given: Given): string | undefined => {
  const found = NOT_BUILT.find(({ key }) => key === given.key)
  if (found === undefined || found.accepts.some((value) => same(value, given.value))) return undefined
  const what = given.origin === "file" ? `${shownKey(given.key)}: ` : ""
  const reason = found.isDeclined === true ? found.part : `${found.part} is not in this build`
  return `${given.source}: ${what}${reason}; ${found.instead}`
}

/** Returns a line for each value that requests something that this build cannot do. */
export const refusals = (all: Effective): ReadonlyArray<string> =>
  [...all.values()].flatMap((given) => refusalOf(given) ?? [])
