import { type Mappings, type SentEventType, whole } from "./mapping.ts"

/** Events of the node as a process, of its resources and of modules. */
export const NODE_MAPPINGS = {
  ConfigLoaded: ({ config_file, network, sections }) => ({
    changed_sections: sections,
    config_json: JSON.stringify({ network, ...(config_file === undefined ? {} : { config_file }) })
  }),
  NodeStartupCompleted: ({ components, duration_ms }) => ({ duration_ms: whole(duration_ms), components }),
  NodeShutdown: ({ reason, timeout_seconds }) => ({ reason, timeout_seconds: whole(timeout_seconds) }),
  NodeShutdownCompleted: ({ duration_ms }) => ({ duration_ms: whole(duration_ms) }),
  DataMaintenance: ({ operation, reason, target_age_days, timeout_seconds, urgency }) => ({
    operation,
    urgency,
    reason,
    target_age_days,
    timeout_seconds
  }),
  MaintenanceStarted: ({ estimated_duration_seconds, maintenance_type }) => ({
    maintenance_type,
    estimated_duration_seconds
  }),
  MaintenanceCompleted: ({ duration_ms, maintenance_type, results, success }) => ({
    maintenance_type,
    success,
    duration_ms: whole(duration_ms),
    results
  }),
  HealthCheck: ({ check_type, health_report, node_healthy }) => ({ check_type, node_healthy, health_report }),
  DiskSpaceLow: ({ available_bytes, disk_path, percent_free, total_bytes }) => ({
    available_bytes,
    total_bytes,
    percent_free,
    disk_path
  }),
  StorageBackendFallback: ({ configured, reason, used }) => ({ configured, used, reason }),
  ResourceLimitWarning: ({ current_usage, limit, resource_type, threshold_percent, usage_percent }) => ({
    resource_type,
    usage_percent,
    current_usage: whole(current_usage),
    limit: whole(limit),
    threshold_percent
  }),
  ModuleLoaded: ({ module_name, version }) => ({ module_name, version }),
  ModuleUnloaded: ({ module_name, version }) => ({ module_name, version }),
  ModuleReloaded: ({ module_name, new_version, old_version }) => ({ module_name, old_version, new_version }),
  ModuleStarted: ({ module_name }) => ({ module_name }),
  ModuleStopped: ({ module_name }) => ({ module_name }),
  ModuleStateChanged: ({ module_name, new_state, old_state }) => ({ module_name, old_state, new_state }),
  ModuleCrashed: ({ error, module_name }) => ({ module_name, error }),
  ModuleDiscovered: ({ module_name, source, version }) => ({ module_name, version, source }),
  ModuleInstalled: ({ module_name, version }) => ({ module_name, version }),
  ModuleUpdated: ({ module_name, new_version, old_version }) => ({ module_name, old_version, new_version }),
  ModuleRemoved: ({ module_name, version }) => ({ module_name, version }),
  ModuleHealthChanged: ({ module_name, new_status, old_status }) => ({
    module_name,
    old_health: old_status,
    new_health: new_status
  })
} as const satisfies Partial<Mappings<SentEventType>>
