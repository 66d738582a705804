/** The description of a metric on `/metrics`, and the constraints on its samples. */
export interface MetricFacts {
  readonly help: string
  readonly kind: "counter" | "gauge" | "histogram" | "summary"
  /** Unit of a sample's value. */
  readonly unit: "bytes" | "seconds" | "ratio" | "count" | "blocks" | "level"
  readonly labels: ReadonlyArray<string>
}

type Unit = MetricFacts["unit"]

const counter = (unit: Unit, help: string, ...labels: ReadonlyArray<string>): MetricFacts => ({
  help,
  kind: "counter",
  unit,
  labels
})
const gauge = (unit: Unit, help: string, ...labels: ReadonlyArray<string>): MetricFacts => ({
  help,
  kind: "gauge",
  unit,
  labels
})
const histogram = (unit: Unit, help: string, ...labels: ReadonlyArray<string>): MetricFacts => ({
  help,
  kind: "histogram",
  unit,
  labels
})

/** Quantiles of the measurements of the last seconds, by the label `quantile`. */
const summary = (unit: Unit, help: string, ...labels: ReadonlyArray<string>): MetricFacts => ({
  help,
  kind: "summary",
  unit,
  labels: [...labels, "quantile"]
})

/** All metrics. Threads are `main` (RPC, events) and `engine` (the chain). */
export const METRICS = {
  lockstep_info: gauge("count", "1, with the network and the version of this node", "network", "version"),
  lockstep_uptime_seconds: gauge("seconds", "Seconds since the process started"),
  lockstep_cpu_seconds_total: counter("seconds", "Processor time of all threads", "mode"),
  lockstep_resident_memory_bytes: gauge("bytes", "Memory of the process in RAM"),
  lockstep_heap_used_bytes: gauge("bytes", "JavaScript heap in use", "thread"),
  lockstep_heap_limit_bytes: gauge("bytes", "Size at which the JavaScript heap is full", "thread"),
  lockstep_external_memory_bytes: gauge(
    "bytes",
    "Memory outside the JavaScript heap that belongs to its objects",
    "thread"
  ),
  lockstep_event_loop_lag_seconds: summary("seconds", "How late timers were within the last seconds", "thread"),
  lockstep_gc_pause_seconds: histogram("seconds", "Garbage collections", "thread", "kind"),
  lockstep_chain_height: gauge("blocks", "Height of the active chain"),
  lockstep_chain_headers: gauge("blocks", "Height of the best chain of headers"),
  lockstep_chain_verification_progress: gauge("ratio", "Share of the chain that is verified, 0 to 1"),
  lockstep_chain_tip_time_seconds: gauge("seconds", "Time in the tip's header, since 1970"),
  lockstep_chain_initial_block_download: gauge("count", "1 while the node catches up, else 0"),
  lockstep_chain_files_bytes: gauge("bytes", "Block and undo files"),
  lockstep_block_connect_seconds: histogram(
    "seconds",
    "From the look at a block's coins to its verdict, scripts included"
  ),
  lockstep_blocks_rejected_total: counter("blocks", "Blocks that were judged and found invalid"),
  lockstep_peers: gauge("count", "Nodes we are connected to, by the kind of connection", "kind"),
  lockstep_peers_by_transport: gauge(
    "count",
    "Nodes we are connected to, by transport: v1 plain, v2 encrypted, quic over QUIC, iroh over Iroh",
    "transport"
  ),
  lockstep_peers_by_network: gauge(
    "count",
    "Nodes we are connected to, by network: ipv4, ipv6, onion, i2p, cjdns, or other",
    "network"
  ),
  lockstep_hidden_service_up: gauge(
    "count",
    "1 while others can reach this node through Tor (onion) or I2P (i2p), else 0; for the networks where that is wanted",
    "network"
  ),
  lockstep_private_broadcast_transactions: gauge(
    "count",
    "Own transactions that were sent through Tor or I2P alone and have not come back"
  ),
  lockstep_connections: gauge("count", "Open connections with other nodes, those without a handshake included"),
  lockstep_connection_fibers: gauge("count", "Fibers that handle connections: one for each"),
  lockstep_connections_refused_total: counter(
    "count",
    "Connections of others that were not taken: inactive (network off), banned, discouraged, rate or address (too many of one), full",
    "reason"
  ),
  lockstep_discouraged_addresses: gauge("count", "Addresses that are not welcome for what was done there"),
  lockstep_foreign_chain_peers_total: counter(
    "count",
    "Peers that follow another chain, by what shows it: headers (of another format) or branch (with less work)",
    "sign"
  ),
  lockstep_network_bytes_total: counter("bytes", "Bytes to and from other nodes (received or sent)", "direction"),
  lockstep_compact_blocks_total: counter(
    "blocks",
    "Compact blocks of peers, by how they were put together (mempool, requested: some transactions), or why not (collision, mismatch, impossible)",
    "outcome"
  ),
  lockstep_compact_block_transactions_total: counter(
    "count",
    "Transactions of blocks that were put together, by source: prefilled, mempool, extra or requested",
    "source"
  ),
  lockstep_compact_block_requested_bytes_total: counter("bytes", "Bytes of the transactions that were requested"),
  lockstep_compact_block_seconds_total: counter(
    "seconds",
    "Seconds from the arrival of compact blocks to the acceptance of their blocks"
  ),
  lockstep_compact_blocks_announced_total: counter(
    "blocks",
    "Compact blocks that were sent unrequested, early (before scripts were verified) or late",
    "moment"
  ),
  lockstep_filters_sent_total: counter(
    "count",
    "Answers about filters: cfilter, cfheaders and cfcheckpt (filters of blocks), merkleblock (bloom filters)",
    "message"
  ),
  lockstep_peers_with_bloom_filter: gauge("count", "Nodes that have set a bloom filter"),
  lockstep_known_addresses: gauge("count", "Addresses of nodes that are known"),
  lockstep_block_scripts_total: counter(
    "count",
    "Transactions of blocks by when their scripts were verified: before the block came, or with_block",
    "verified"
  ),
  lockstep_coin_cache_lookups_total: counter(
    "count",
    "Look-ups of coins, answered from memory (hit) or from disk (miss)",
    "result"
  ),
  lockstep_coin_cache_hit_ratio: gauge("ratio", "Share of all look-ups of coins that memory answered, 0 to 1"),
  lockstep_coin_cache_bytes: gauge("bytes", "Memory of the coin cache"),
  lockstep_coin_cache_changes: gauge("count", "Coins that changed since the last commit"),
  lockstep_mempool_transactions: gauge("count", "Transactions in the mempool"),
  lockstep_mempool_virtual_bytes: gauge("bytes", "Virtual size of all transactions in the mempool"),
  lockstep_mempool_memory_bytes: gauge("bytes", "Memory of the mempool, as it counts against the limit"),
  lockstep_mempool_output_records_bytes: gauge(
    "bytes",
    "What look-ups by address and value keep of the mempool, beside the limit"
  ),
  lockstep_mempool_memory_limit_bytes: gauge("bytes", "Memory that the mempool may take"),
  lockstep_mempool_minimum_feerate: gauge(
    "count",
    "Feerate that the mempool asks for because it was full, in satoshi per 1,000 virtual bytes; 0: nothing"
  ),
  lockstep_mempool_unbroadcast: gauge("count", "Transactions of this node's users that no peer has fetched yet"),
  lockstep_mempool_added_total: counter("count", "Transactions that entered the mempool"),
  lockstep_mempool_removed_total: counter(
    "count",
    "Transactions that left the mempool: block, conflict, replaced, sizelimit, expiry or reorg",
    "reason"
  ),
  lockstep_mempool_rejected_total: counter(
    "count",
    "Transactions that the mempool rejected, by what the rejection means",
    "class"
  ),
  lockstep_modules: gauge("count", "Modules that were found, by what they do", "status"),
  lockstep_module_restarts: gauge(
    "count",
    "How often a module was started again since it last ran for ten minutes",
    "module"
  ),
  lockstep_module_memory_bytes: gauge("bytes", "Memory of a module's process, in RAM or swapped out", "module"),
  lockstep_module_cpu_seconds_total: counter("seconds", "Processor time of a module's process", "module"),
  lockstep_module_requests_total: counter(
    "count",
    "Requests of a module's process, by outcome: answered or refused",
    "module",
    "outcome"
  ),
  lockstep_module_events_total: counter(
    "count",
    "Events for a module's process, by outcome: delivered, failed (its connection did not take them) or dropped",
    "module",
    "outcome"
  ),
  lockstep_disk_free_bytes: gauge("bytes", "Free space where the data directory is"),
  lockstep_disk_total_bytes: gauge("bytes", "Size of the file system where the data directory is"),
  lockstep_rpc_requests_total: counter("count", "RPC calls by method and outcome (ok or error)", "method", "outcome"),
  lockstep_rpc_request_seconds: histogram(
    "seconds",
    "RPC calls from the moment they are understood to the end of their answer",
    "method"
  ),
  lockstep_rpc_requests_in_flight: gauge("count", "HTTP requests with calls that are received, run or answered"),
  lockstep_rpc_refused_total: counter(
    "count",
    "HTTP requests that were refused: credentials (wrong), blocked (after wrong ones), rate (too many) or overload",
    "reason"
  ),
  lockstep_events_delivered_total: counter("count", "Events handed to a subscriber", "subscriber"),
  lockstep_events_dropped_total: counter("count", "Events a subscriber was too slow for", "subscriber"),
  lockstep_health_status: gauge(
    "level",
    "Health of a component: 3 healthy, 2 degraded, 1 unhealthy, 0 down",
    "component"
  )
} as const satisfies Readonly<Record<string, MetricFacts>>

export type MetricName = keyof typeof METRICS
