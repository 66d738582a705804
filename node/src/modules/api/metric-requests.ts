import type { ModuleHealth } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import type { RequestHandlers, ModuleContext } from "./module-context.ts"

const reportHealth = ({ module, publish }: ModuleContext, health: ModuleHealth): Effect.Effect<void> => {
  const [old_status, new_status] = [module.health._tag, health._tag]
  module.health = health
  return old_status === new_status
    ? Effect.void
    : publish("ModuleHealthChanged", { module_name: module.name, old_status, new_status })
}

/** Answers to requests about what modules report of themselves. Modules are named by their names. */
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
  ReportModuleHealth: (context, { health }) => Effect.as(reportHealth(context, health), { _tag: "HealthReported" }),
  GetModuleHealth: ({ modules }, { module_id }) =>
    Effect.sync(() => ({ _tag: "ModuleHealth", value: modules.get(module_id)?.health })),
  GetAllModuleHealth: ({ modules }) =>
    Effect.sync(() => ({
      _tag: "AllModuleHealth",
      value: [...modules].map(([module_id, { health }]) => ({ module_id, health }))
    }))
}
