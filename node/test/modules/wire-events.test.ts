import { assert, describe, it } from "@effect/vitest"
import {
  decodeModuleMessage,
  encodeModuleMessage,
  MODULE_EVENT_TYPES,
  RESERVED_EVENTS,
  moduleEvent,
  type ModuleEventType
} from "@lockstep/protocol/module-ipc/index.ts"
import * as Result from "effect/Result"
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { EVENT_TYPES, type EventPayload, type EventType } from "../../src/events/event-types.ts"
import { nodeEvent } from "../../src/events/node-event.ts"
import { PUBLISHABLE } from "../../src/modules/api/event-requests.ts"
import { type SentEventType, wireHashOf } from "../../src/modules/events/mapping.ts"
import { UNSENT, WITHOUT_NODE_EVENT } from "../../src/modules/events/unsent.ts"
import { isSent, MAPPINGS, wireEvent } from "../../src/modules/events/wire-event.ts"
import { unixSeconds } from "../../src/quantities.ts"

const SHOWN = "0102".padEnd(62, "0") + "ff"
const HASH = Uint8Array.of(0xff, ...new Uint8Array(29), 2, 1)
const OTHER = "ee".repeat(32)
const OTHER_HASH = new Uint8Array(32).fill(0xee)
const NOW = unixSeconds(1_000)

type Wire = Readonly<Record<string, unknown>>

/** For each type that is sent, an event of the node and what the wire has of it. */
const SAMPLES: { readonly [T in SentEventType]: readonly [EventPayload<T>, Wire] } = {
  NewBlock: [{ block_hash: SHOWN, height: 7, transactions: 3 }, { block_hash: HASH, height: 7 }],
  NewTransaction: [{ txid: SHOWN, wtxid: OTHER }, { tx_hash: HASH }],
  BlockDisconnected: [{ block_hash: SHOWN, height: 7 }, { hash: HASH, height: 7 }],
  ChainReorg: [
    { old_tip: SHOWN, new_tip: OTHER, fork_hash: "00".repeat(32), fork_height: 1, disconnected: 1, connected: 2 },
    { old_tip: HASH, new_tip: OTHER_HASH }
  ],
  BlockMined: [
    { block_hash: SHOWN, height: 7, reward: 50 },
    { block_hash: HASH, height: 7, miner_id: undefined }
  ],
  BlockTemplateUpdated: [
    { previous_hash: SHOWN, height: 7, transactions: 3 },
    { prev_hash: HASH, height: 7, tx_count: 3 }
  ],
  MiningDifficultyChanged: [
    { height: 7, old_bits: "1d00ffff", bits: "04123456" },
    { old_difficulty: 0x1d00ffff, new_difficulty: 0x04123456, height: 7 }
  ],
  MiningPoolConnected: [{ pool: "p" }, { pool_url: "p", pool_id: undefined }],
  MiningPoolDisconnected: [{ pool: "p", reason: "r" }, { pool_url: "p", reason: "r" }],
  BlockValidationStarted: [{ block_hash: SHOWN, height: 7 }, { block_hash: HASH, height: 7 }],
  BlockValidationCompleted: [
    { block_hash: SHOWN, height: 7, valid: false, reason: "bad-cb-amount", duration_ms: 1.6 },
    { block_hash: HASH, height: 7, success: false, validation_time_ms: 2, error: "bad-cb-amount" }
  ],
  ScriptVerificationStarted: [{ block_hash: SHOWN, inputs: 3 }, { block_hash: HASH, inputs: 3 }],
  ScriptVerificationCompleted: [
    { block_hash: SHOWN, inputs: 3, valid: false, duration_ms: 1.6 },
    { block_hash: HASH, inputs: 3, success: false, verification_time_ms: 2 }
  ],
  UTXOValidationStarted: [{ block_hash: SHOWN, height: 7, inputs: 3 }, { block_hash: HASH, height: 7 }],
  UTXOValidationCompleted: [
    { block_hash: SHOWN, height: 7, valid: true, duration_ms: 1 },
    { block_hash: HASH, height: 7, success: true }
  ],
  DifficultyAdjusted: [
    { height: 7, old_bits: "1d00ffff", new_bits: "04123456" },
    { old_difficulty: 0x1d00ffff, new_difficulty: 0x04123456, height: 7 }
  ],
  SoftForkActivated: [{ name: "segwit", height: 7 }, { fork_name: "segwit", height: 7 }],
  SoftForkLockedIn: [{ name: "segwit", height: 7 }, { fork_name: "segwit", height: 7 }],
  ConsensusRuleViolation: [
    { block_hash: SHOWN, rule: "BLK-1", reason: "r" },
    { rule_name: "BLK-1", block_hash: HASH, tx_hash: undefined, error: "r" }
  ],
  PaymentRequestCreated: [
    { payment_id: "a", amount: 5 },
    { payment_id: "a", amount_sats: 5, invoice: undefined }
  ],
  PaymentFailed: [{ payment_id: "a", reason: "r" }, { payment_id: "a", reason: "r" }],
  PaymentRouteFound: [
    { payment_id: "a", hops: 3, fee: 2 },
    { payment_id: "a", route_hops: 3, route_cost_msats: 2_000 }
  ],
  PaymentRouteFailed: [{ payment_id: "a", reason: "r" }, { payment_id: "a", reason: "r" }],
  ChannelClosed: [{ channel_id: "c", reason: "r" }, { channel_id: "c", reason: "r" }],
  GovernanceProposalVoted: [
    { proposal_id: "p", voter: "v", vote: "yes" },
    { proposal_id: "p", voter: "v", vote: "yes" }
  ],
  PeerConnected: [
    { peer: "a:1", direction: "inbound", services: "0000000000000409", version: 70_016, transport: "v2" },
    { peer_addr: "a:1", transport_type: "v2", services: 0x409n, version: 70_016, peer_node_id: undefined }
  ],
  PeerDisconnected: [{ peer: "a:1", reason: "r" }, { peer_addr: "a:1", reason: "r" }],
  PeerBanned: [
    { peer: "a", reason: "r", until: NOW + 60 },
    { peer_addr: "a", reason: "r", ban_duration_seconds: 60 }
  ],
  PeerUnbanned: [{ peer: "a" }, { peer_addr: "a" }],
  MessageReceived: [
    { peer: "a:1", command: "inv", bytes: 37, version: 70_016 },
    { peer_addr: "a:1", message_type: "inv", message_size: 37, protocol_version: 70_016 }
  ],
  MessageSent: [
    { peer: "a:1", command: "inv", bytes: 37 },
    { peer_addr: "a:1", message_type: "inv", message_size: 37 }
  ],
  BroadcastStarted: [
    { kind: "block", hash: SHOWN, peers: 8 },
    { message_type: "block", target_peers: 8 }
  ],
  BroadcastCompleted: [
    { kind: "block", hash: SHOWN, peers: 6, failed: 2 },
    { message_type: "block", successful: 6, failed: 2 }
  ],
  RouteDiscovered: [
    { destination: "onion", path: ["proxy"] },
    { destination: new TextEncoder().encode("onion"), route_path: ["proxy"], route_cost: 1 }
  ],
  NetworkPartition: [
    { reason: "r", tip: SHOWN, peers: ["a:1", "b:1"] },
    { partition_id: HASH, disconnected_peers: ["a:1", "b:1"], partition_size: 3 }
  ],
  NetworkReconnected: [
    { duration_ms: 5, tip: SHOWN, peers: ["a:1"] },
    { partition_id: HASH, reconnected_peers: ["a:1"] }
  ],
  DoSAttackDetected: [
    { peer: "a:1", kind: "connections", severity: "high" },
    { peer_addr: "a:1", attack_type: "connections", severity: "high" }
  ],
  RateLimitExceeded: [
    { peer: "a:1", limit: "addresses", current: 1_000, most: 12 },
    { peer_addr: "a:1", limit_type: "addresses", current_rate: 1_000, limit: 12 }
  ],
  DandelionStemStarted: [
    { txid: SHOWN, peer: "a:1" },
    { tx_hash: HASH, current_peer: "this node", next_peer: "a:1" }
  ],
  DandelionStemAdvanced: [
    { txid: SHOWN, peer: "a:1", hops: 2 },
    { tx_hash: HASH, hop_count: 2, next_peer: "a:1" }
  ],
  DandelionFluffed: [{ txid: SHOWN, hops: 2 }, { tx_hash: HASH, stem_hops: 2 }],
  DandelionStemPathExpired: [{ txid: SHOWN, peer: "a:1" }, { peer_addr: "a:1" }],
  CompactBlockReceived: [
    { block_hash: SHOWN, height: 7, peer: "a:1", short_ids: 3 },
    { block_hash: HASH, height: 7, short_ids_count: 3 }
  ],
  BlockReconstructionStarted: [{ block_hash: SHOWN, height: 7 }, { block_hash: HASH, height: 7 }],
  BlockReconstructionCompleted: [
    { block_hash: SHOWN, height: 7, success: true, missing: 2 },
    { block_hash: HASH, height: 7, success: true, missing_txs: 2 }
  ],
  RouteFailed: [
    { destination: "onion", reason: "r" },
    { destination: new TextEncoder().encode("onion"), reason: "r" }
  ],
  ConnectionAttempt: [
    { peer: "a:1", success: false, error: "e" },
    { peer_addr: "a:1", success: false, error: "e" }
  ],
  AddressDiscovered: [{ address: "a:1", source: "b:1" }, { peer_addr: "a:1", source: "b:1" }],
  AddressExpired: [{ address: "a:1" }, { peer_addr: "a:1" }],
  HeadersSyncStarted: [{ start_height: 7 }, { start_height: 7 }],
  HeadersSyncProgress: [
    { current_height: 1, target_height: 2, progress_percent: 50 },
    { current_height: 1, target_height: 2, progress_percent: 50 }
  ],
  HeadersSyncCompleted: [{ final_height: 7, duration_ms: 1_600 }, { final_height: 7, duration_seconds: 2 }],
  BlockSyncStarted: [{ start_height: 1, target_height: 2 }, { start_height: 1, target_height: 2 }],
  BlockSyncProgress: [
    { current_height: 1, target_height: 2, progress_percent: 50, blocks_per_second: 2.5 },
    { current_height: 1, target_height: 2, progress_percent: 50, blocks_per_second: 2.5 }
  ],
  BlockSyncCompleted: [{ final_height: 7, duration_ms: 1_400 }, { final_height: 7, duration_seconds: 1 }],
  SyncStateChanged: [
    { old_state: "Initial", new_state: "Headers" },
    { old_state: "Initial", new_state: "Headers" }
  ],
  MempoolThresholdExceeded: [
    { current_size: 901, threshold: 900 },
    { current_size: 901, threshold: 900 }
  ],
  MempoolTransactionAdded: [
    { txid: SHOWN, wtxid: OTHER, fee: 200, vsize: 100, fee_rate: 2, mempool_size: 9 },
    { tx_hash: HASH, fee_rate: 2, mempool_size: 9 }
  ],
  MempoolTransactionRemoved: [
    { txid: SHOWN, reason: "expiry", mempool_size: 8 },
    { tx_hash: HASH, reason: "expiry", mempool_size: 8 }
  ],
  FeeRateChanged: [
    { old_fee_rate: 1, new_fee_rate: 1.5, mempool_size: 8 },
    { old_fee_rate: 1, new_fee_rate: 1.5, mempool_size: 8 }
  ],
  CompanionUdpPeerRegistered: [{ peer: "a:1", address: "b:2" }, { p2p_peer_addr: "a:1", udp_addr: "b:2" }],
  CompanionUdpPeerUnregistered: [{ peer: "a:1" }, { p2p_peer_addr: "a:1" }],
  PackageReceived: [
    { package_id: "01".repeat(32), transactions: 3, peer: "a:1" },
    { package_id: new Uint8Array(32).fill(1), transaction_count: 3, peer_addr: "a:1" }
  ],
  PackageRejected: [
    { package_id: "01".repeat(32), reason: "min relay fee not met", peer: "a:1" },
    { package_id: new Uint8Array(32).fill(1), reason: "min relay fee not met", peer_addr: "a:1" }
  ],
  BanListShared: [{ peer: "a:1", entries: 3 }, { peer_addr: "a:1", ban_count: 3 }],
  BanListReceived: [{ peer: "a:1", entries: 3 }, { peer_addr: "a:1", ban_count: 3 }],
  ConfigLoaded: [
    { network: "regtest", config_file: "/n.toml", sections: ["", "storage"] },
    { changed_sections: ["", "storage"], config_json: "{\"network\":\"regtest\",\"config_file\":\"/n.toml\"}" }
  ],
  NodeStartupCompleted: [
    { duration_ms: 1.4, components: ["rpc"] },
    { duration_ms: 1, components: ["rpc"] }
  ],
  NodeShutdown: [{ reason: "rpc", timeout_seconds: 30 }, { reason: "rpc", timeout_seconds: 30 }],
  NodeShutdownCompleted: [{ duration_ms: 12.6 }, { duration_ms: 13 }],
  DataMaintenance: [
    { operation: "flush", urgency: "high", reason: "shutdown", timeout_seconds: 5 },
    { operation: "flush", urgency: "high", reason: "shutdown", target_age_days: undefined, timeout_seconds: 5 }
  ],
  MaintenanceStarted: [
    { maintenance_type: "prune", estimated_duration_seconds: 3 },
    { maintenance_type: "prune", estimated_duration_seconds: 3 }
  ],
  MaintenanceCompleted: [
    { maintenance_type: "prune", success: true, duration_ms: 3 },
    { maintenance_type: "prune", success: true, duration_ms: 3, results: undefined }
  ],
  HealthCheck: [
    { check_type: "manual", node_healthy: true, health_report: "{}" },
    { check_type: "manual", node_healthy: true, health_report: "{}" }
  ],
  DiskSpaceLow: [
    { available_bytes: 1, total_bytes: 100, percent_free: 1, disk_path: "/d" },
    { available_bytes: 1, total_bytes: 100, percent_free: 1, disk_path: "/d" }
  ],
  StorageBackendFallback: [
    { configured: "rocksdb", used: "sqlite", reason: "r" },
    { configured: "rocksdb", used: "sqlite", reason: "r" }
  ],
  ResourceLimitWarning: [
    { resource_type: "memory", usage_percent: 91.5, current_usage: 915.2, limit: 1_000, threshold_percent: 90 },
    { resource_type: "memory", usage_percent: 91.5, current_usage: 915, limit: 1_000, threshold_percent: 90 }
  ],
  ModuleLoaded: [{ module_name: "zmq", version: "1.0.0" }, { module_name: "zmq", version: "1.0.0" }],
  ModuleUnloaded: [{ module_name: "zmq", version: "1.0.0" }, { module_name: "zmq", version: "1.0.0" }],
  ModuleReloaded: [
    { module_name: "zmq", old_version: "1.0.0", new_version: "1.0.0" },
    { module_name: "zmq", old_version: "1.0.0", new_version: "1.0.0" }
  ],
  ModuleStarted: [{ module_name: "zmq" }, { module_name: "zmq" }],
  ModuleStopped: [{ module_name: "zmq" }, { module_name: "zmq" }],
  ModuleStateChanged: [
    { module_name: "zmq", old_state: "starting", new_state: "connected" },
    { module_name: "zmq", old_state: "starting", new_state: "connected" }
  ],
  ModuleCrashed: [{ module_name: "zmq", error: "e" }, { module_name: "zmq", error: "e" }],
  ModuleDiscovered: [
    { module_name: "zmq", version: "1.0.0", source: "directory" },
    { module_name: "zmq", version: "1.0.0", source: "directory" }
  ],
  ModuleInstalled: [{ module_name: "zmq", version: "1.0.0" }, { module_name: "zmq", version: "1.0.0" }],
  ModuleUpdated: [
    { module_name: "zmq", old_version: "1.0.0", new_version: "1.1.0" },
    { module_name: "zmq", old_version: "1.0.0", new_version: "1.1.0" }
  ],
  ModuleRemoved: [{ module_name: "zmq", version: "1.0.0" }, { module_name: "zmq", version: "1.0.0" }],
  ModuleHealthChanged: [
    { module_name: "zmq", old_status: "healthy", new_status: "crashed" },
    { module_name: "zmq", old_health: "healthy", new_health: "crashed" }
  ]
}

const sent = Object.keys(SAMPLES) as ReadonlyArray<SentEventType>

describe("events of the node for modules", () => {
  it.each(sent)("%s has the fields of the wire, and crosses it", (type) => {
    const [payload, fields] = SAMPLES[type]
    const event = wireEvent(nodeEvent(type, payload as never), NOW)!
    assert.deepStrictEqual(event as Wire, { _tag: type, ...fields })
    const message = moduleEvent(event)
    assert.deepStrictEqual(Result.getOrThrow(decodeModuleMessage(encodeModuleMessage(message))), message)
  })

  it("are either sent or not sent for a reason, never both", () => {
    for (const type of Object.keys(EVENT_TYPES) as ReadonlyArray<EventType>) {
      assert.notStrictEqual(isSent(type), type in UNSENT, type)
    }
    assert.sameMembers(Object.keys(MAPPINGS), [...sent])
    assert.isUndefined(wireEvent(nodeEvent("ShareSubmitted", { job_id: "j", accepted: true }), NOW))
  })

  it("leave no event of the wire unexplained", () => {
    const explained = [
      ...sent,
      ...Object.keys(UNSENT),
      ...Object.keys(WITHOUT_NODE_EVENT),
      ...Object.keys(RESERVED_EVENTS)
    ]
    assert.includeMembers(explained, [...MODULE_EVENT_TYPES])
    const beyond = explained.filter((type) => !MODULE_EVENT_TYPES.includes(type as ModuleEventType))
    assert.deepStrictEqual(beyond, ["LargeInvalidChainFound"], "the wire has no such event, and UNSENT says so")
  })

  it("have each an emitter: a part of the node, a module that may publish it, or none, and then no module may subscribe", () => {
    const source = fileURLToPath(new URL("../../src", import.meta.url))
    const emitters = globSync("**/*.ts", { cwd: source })
      .filter((file) => !/^events\/|(?:mappings?|unsent|event-requests)\.ts$/.test(file))
      .map((file) => readFileSync(`${source}/${file}`, "utf8")).join("\n")
    const isEmitted = (type: string): boolean => emitters.includes(`"${type}"`)
    const orphans = MODULE_EVENT_TYPES.filter((type) =>
      !isEmitted(type) && !(type in PUBLISHABLE) && !(type in RESERVED_EVENTS)
    )
    assert.deepStrictEqual(orphans, [])
    const both = Object.keys(RESERVED_EVENTS).filter((type) => isEmitted(type) || type in PUBLISHABLE)
    assert.deepStrictEqual(both, [])
  })

  it("have hashes of 32 bytes in wire order, zeros for what is no hash", () => {
    assert.deepStrictEqual(wireHashOf(`${"00".repeat(31)}01`), Uint8Array.of(1, ...new Uint8Array(31)))
    assert.deepStrictEqual(wireHashOf("no digits"), new Uint8Array(32))
  })

  it("name a ban without an end by no seconds, and one that is over as well", () => {
    const seconds = (until: { readonly until?: number }) =>
      wireEvent(nodeEvent("PeerBanned", { peer: "a", reason: "r", ...until }), NOW)
    const expected = { _tag: "PeerBanned", peer_addr: "a", reason: "r", ban_duration_seconds: 0 }
    assert.deepStrictEqual(seconds({}) as Wire, expected)
    assert.deepStrictEqual(seconds({ until: NOW - 5 }) as Wire, expected)
  })
})
