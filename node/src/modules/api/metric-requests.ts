import * as Effect from "effect/Effect"
import type { RequestHandlers } from "./module-context.ts"
import { changeHealth } from "./module-health.ts"

/** Handlers of requests about metrics and health that modules report. Modules are identified by name. */
export const METRIC_REQUESTS: RequestHandlers<
  | "ReportMetric"
  | "GetModuleMetrics"
  | "GetAllMetrics"
  | "ReportModuleHealth"
  | "GetModuleHealth"
  | "GetAllModuleHealth"
> = {
  ReportMetric: ({ module: { metrics } }, { metric }) => Effect.as(metrics.report(metric), { _tag: "MetricReported" }),
  GetModuleMetrics: ({ modules }, { module_id }) =>
    Effect.sync(() => ({ _tag: "ModuleMetrics", value: modules.get(module_id)?.metrics.all() ?? [] })),
  GetAllMetrics: ({ modules }) =>
    Effect.sync(() => ({
      _tag: "AllMetrics",
      value: new Map([...modules].map(([name, { metrics }]) => [name, metrics.all()]))
    })),
  ReportModuleHealth: ({ module, publish }, { health }) =>
    Effect.as(changeHealth(module, publish, health), { _tag: "HealthReported" }),
  GetModuleHealth: ({ modules }, { module_id }) =>
    Effect.sync(() => ({ _tag: "ModuleHealth", value: modules.get(module_id)?.health })),
  GetAllModuleHealth: ({ modules }) =>
    Effect.sync(() => ({
      _tag: "AllModuleHealth",
      value: [...modules].map(([module_id, { health }]) => ({ module_id, health }))
    }))
}
