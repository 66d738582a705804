import * as Schema from "effect/Schema"
import { Count, Flag, Fraction, inCategory, Milliseconds, Text, Texts } from "./event-type.ts"

const configuration = inCategory("Configuration")
const lifecycle = inCategory("Node lifecycle")
const maintenance = inCategory("Maintenance")
const resources = inCategory("Resources")
const modules = inCategory("Module lifecycle")
const sync = inCategory("Sync")
const governance = inCategory("Governance")

/** Events of the running node. */
export const OPERATION_EVENTS = {
  ConfigLoaded: configuration("the configuration was read", {
    network: Text,
    config_file: Schema.optionalKey(Text),
    sections: Texts
  }),
  NodeStartupCompleted: lifecycle("all components run", { duration_ms: Milliseconds, components: Texts }),
  NodeShutdown: lifecycle("the node is about to stop", {
    reason: Schema.Literals(["graceful", "signal", "rpc", "error"]),
    timeout_seconds: Count
  }),
  NodeShutdownCompleted: lifecycle("everything has stopped", { duration_ms: Milliseconds }),
  DataMaintenance: maintenance("subscribers should write or clean up their data", {
    operation: Schema.Literals(["flush", "cleanup", "both"]),
    urgency: Schema.Literals(["low", "medium", "high"]),
    reason: Schema.Literals(["periodic", "shutdown", "low_disk", "manual"]),
    target_age_days: Schema.optionalKey(Count),
    timeout_seconds: Schema.optionalKey(Count)
  }),
  MaintenanceStarted: maintenance("a maintenance task starts", {
    maintenance_type: Schema.Literals(["backup", "cleanup", "prune"]),
    estimated_duration_seconds: Schema.optionalKey(Count)
  }),
  MaintenanceCompleted: maintenance("a maintenance task is over", {
    maintenance_type: Schema.Literals(["backup", "cleanup", "prune"]),
    success: Flag,
    duration_ms: Milliseconds,
    results: Schema.optionalKey(Text)
  }),
  HealthCheck: maintenance("the health of the node was checked", {
    check_type: Schema.Literals(["periodic", "manual", "startup"]),
    node_healthy: Flag,
    health_report: Schema.optionalKey(Text)
  }),
  DiskSpaceLow: resources("the file system of the data directory is about to be full", {
    available_bytes: Count,
    total_bytes: Count,
    percent_free: Fraction,
    disk_path: Text
  }),
  StorageBackendFallback: resources("a storage engine did not open, and another one took its place", {
    configured: Text,
    used: Text,
    reason: Text
  }),
  ResourceLimitWarning: resources("a resource is close to its limit", {
    resource_type: Schema.Literals(["memory", "cpu", "disk", "network"]),
    usage_percent: Fraction,
    current_usage: Count,
    limit: Count,
    threshold_percent: Fraction
  })
} as const

/** Events of modules, from their discovery on. */
export const MODULE_EVENTS = {
  ModuleLoaded: modules("a module runs and has subscribed", { module_name: Text, version: Text }),
  ModuleUnloaded: modules("a module was unloaded", { module_name: Text, version: Text }),
  ModuleCrashed: modules("a module's process died", { module_name: Text, error: Text }),
  ModuleDiscovered: modules("a module was found", { module_name: Text, version: Text, source: Text }),
  ModuleInstalled: modules("a module was installed", { module_name: Text, version: Text }),
  ModuleUpdated: modules("a module was replaced by another version", {
    module_name: Text,
    old_version: Text,
    new_version: Text
  }),
  ModuleRemoved: modules("the files of a module that does not run are gone", { module_name: Text, version: Text }),
  ModuleHealthChanged: modules("a module's health is another", {
    module_name: Text,
    old_status: Text,
    new_status: Text
  }),
  ModuleStarted: modules("a module's process has shaken hands", { module_name: Text }),
  ModuleStopped: modules("a module's process has ended, for whatever reason", { module_name: Text }),
  ModuleStateChanged: modules("a module is in another state", { module_name: Text, old_state: Text, new_state: Text }),
  ModuleReloaded: modules("a module was loaded anew as it is on disk", {
    module_name: Text,
    old_version: Text,
    new_version: Text
  })
} as const

export const SYNC_EVENTS = {
  HeadersSyncStarted: sync("the download of headers starts", { start_height: Count }),
  HeadersSyncProgress: sync("headers arrived", {
    current_height: Count,
    target_height: Count,
    progress_percent: Fraction
  }),
  HeadersSyncCompleted: sync("all headers have arrived", { final_height: Count, duration_ms: Milliseconds }),
  BlockSyncStarted: sync("the download of blocks starts", { start_height: Count, target_height: Count }),
  BlockSyncProgress: sync("blocks arrived", {
    current_height: Count,
    target_height: Count,
    progress_percent: Fraction,
    blocks_per_second: Fraction
  }),
  BlockSyncCompleted: sync("all blocks have arrived", { final_height: Count, duration_ms: Milliseconds }),
  SyncStateChanged: sync("the synchronization is in another state", { old_state: Text, new_state: Text })
} as const

export const GOVERNANCE_EVENTS = {
  GovernanceProposalCreated: governance("a proposal was made", { proposal_id: Text }),
  GovernanceProposalVoted: governance("a vote was cast", { proposal_id: Text, voter: Text, vote: Text }),
  GovernanceProposalMerged: governance("a proposal was merged", { proposal_id: Text }),
  GovernanceForkDetected: governance("a ruleset was forked", { fork_id: Text }),
  WebhookSent: governance("a webhook was called", { url: Text, status: Count }),
  WebhookFailed: governance("a webhook could not be called", { url: Text, error: Text })
} as const
