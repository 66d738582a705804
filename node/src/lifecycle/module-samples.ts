import type { ModuleStatus } from "../modules/lifecycle/module-status.ts"
import type { ProcessFigures } from "../modules/lifecycle/spawn.ts"
import { type Sample, sample } from "../metrics/sample.ts"

const MILLISECOND = 1e-3

const processSamples = (module: string, { events, requests, usage }: ProcessFigures): ReadonlyArray<Sample> => [
  ...usage === undefined ? [] : [
    sample("lockstep_module_memory_bytes", usage.memoryBytes, { module }),
    sample("lockstep_module_cpu_seconds_total", usage.processorMs * MILLISECOND, { module })
  ],
  sample("lockstep_module_requests_total", requests.answered, { module, outcome: "answered" }),
  sample("lockstep_module_requests_total", requests.refused, { module, outcome: "refused" }),
  sample("lockstep_module_events_total", events.delivered, { module, outcome: "delivered" }),
  sample("lockstep_module_events_total", events.failed, { module, outcome: "failed" }),
  sample("lockstep_module_events_total", events.channelFull, { module, outcome: "dropped" })
]

/** Samples of the modules of a node. */
export const moduleSamples = (modules: ReadonlyArray<ModuleStatus>): ReadonlyArray<Sample> => {
  const counts = new Map<string, number>()
  for (const { status } of modules) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [
    ...[...counts].map(([status, count]) => sample("lockstep_modules", count, { status })),
    ...modules.flatMap(({ figures, name, restarts, version }) => [
      ...version === undefined ? [] : [sample("lockstep_module_restarts", restarts, { module: name })],
      ...figures === undefined ? [] : processSamples(name, figures)
    ])
  ]
}
