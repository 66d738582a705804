import type { EventPayload } from "../events/event-types.ts"
import type { ThreadFigures } from "../figures/thread-figures.ts"
import type { HealthFacts } from "./judge.ts"

export type ResourceWarning = EventPayload<"ResourceLimitWarning">

type Resource = ResourceWarning["resource_type"]

/** The used part of a resource, and its limit. */
export interface Use {
  readonly used: number
  readonly limit: number
}

/** Percentages of a limit from which it is close. A processor may be busy for long without any harm. */
export const THRESHOLDS: Readonly<Record<Resource, number>> = { memory: 90, cpu: 95, disk: 90, network: 90 }

/**
 * Percentage points by which the use has to fall below the threshold before the next warning. Without them it would be
 * repeated at the threshold.
 */
export const MARGIN = 5

const heapOf = ({ heapLimit, heapUsed }: ThreadFigures): Use => ({ used: heapUsed, limit: heapLimit })

/** Returns the used share. A limit of zero is fully used. */
const share = ({ limit, used }: Use): number => used <= 0 ? 0 : limit <= 0 ? 1 : used / limit

/** Returns the use of the fuller heap: either one ends the node when it is full. */
const memoryOf = ({ engine, main }: HealthFacts): Use => {
  const [own, others] = [heapOf(main), engine._tag === "Answered" ? heapOf(engine.figures.thread) : undefined]
  return others !== undefined && share(others) > share(own) ? others : own
}

/** Returns the use of the writable space: the space that is kept free does not count. */
const diskOf = ({ disk, minimumFreeBytes }: HealthFacts): Use | undefined =>
  disk && { used: disk.total - disk.free, limit: Math.max(0, disk.total - minimumFreeBytes) }

/** Returns the use of all resources with a limit, as far as known. */
export const usesOf = (facts: HealthFacts, processors: Use | undefined): ReadonlyMap<Resource, Use> => {
  const { network } = facts
  const uses: ReadonlyArray<readonly [Resource, Use | undefined]> = [
    ["memory", memoryOf(facts)],
    ["cpu", processors],
    ["disk", diskOf(facts)],
    ["network", network && { used: network.peers, limit: network.maximum }]
  ]
  return new Map(uses.flatMap(([resource, use]) => use === undefined ? [] : [[resource, use] as const]))
}

/**
 * Makes a function that finds resources that came close to their limit since the last check. Each is warned of once,
 * until its use has fallen well below the limit.
 */
export const resourceWatch = (): (uses: ReadonlyMap<Resource, Use>) => ReadonlyArray<ResourceWarning> => {
  const warned = new Set<Resource>()
  return (uses) => {
    const warnings: Array<ResourceWarning> = []
    for (const [resource, use] of uses) {
      const percent = share(use) * 100
      const threshold = THRESHOLDS[resource]
      if (percent < threshold - MARGIN) warned.delete(resource)
      if (percent < threshold || warned.has(resource)) continue
      warned.add(resource)
      warnings.push({
        resource_type: resource,
        usage_percent: percent,
        current_usage: Math.round(use.used),
        limit: Math.round(use.limit),
        threshold_percent: threshold
      })
    }
    return warnings
  }
}
