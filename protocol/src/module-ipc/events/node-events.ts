import { list, option } from "../layout/compounds.ts"
import type { Fields } from "../layout/layout.ts"
import { bool, bytes, count, f64, text } from "../layout/scalars.ts"

/** Events of modules, of the node as a process, and of its resources. Hashes in internal byte order, amounts in satoshis unless the name says otherwise. */
export const NODE_EVENTS = {
  ModuleLoaded: { module_name: text, version: text },
  ModuleUnloaded: { module_name: text, version: text },
  ModuleReloaded: { module_name: text, old_version: text, new_version: text },
  ModuleStarted: { module_name: text },
  ModuleStopped: { module_name: text },
  MeshPacketReceived: { packet_data: bytes, peer_addr: text },
  StratumV2MessageReceived: { message_data: bytes, peer_addr: text },
  ModuleCrashed: { module_name: text, error: text },
  ModuleHealthChanged: { module_name: text, old_health: text, new_health: text },
  ModuleStateChanged: { module_name: text, old_state: text, new_state: text },
  ConfigLoaded: { changed_sections: list(text), config_json: option(text) },
  NodeShutdown: { reason: text, timeout_seconds: count },
  NodeShutdownCompleted: { duration_ms: count },
  NodeStartupCompleted: { duration_ms: count, components: list(text) },
  MaintenanceStarted: { maintenance_type: text, estimated_duration_seconds: option(count) },
  MaintenanceCompleted: { maintenance_type: text, success: bool, duration_ms: count, results: option(text) },
  DataMaintenance: {
    operation: text,
    urgency: text,
    reason: text,
    target_age_days: option(count),
    timeout_seconds: option(count)
  },
  HealthCheck: { check_type: text, node_healthy: bool, health_report: option(text) },
  DiskSpaceLow: { available_bytes: count, total_bytes: count, percent_free: f64, disk_path: text },
  ResourceLimitWarning: {
    resource_type: text,
    usage_percent: f64,
    current_usage: count,
    limit: count,
    threshold_percent: f64
  }
} as const satisfies Readonly<Record<string, Fields>>
