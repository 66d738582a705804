import type { EventPayload } from "../events/event-types.ts"
import type { ThreadFigures } from "../figures/thread-figures.ts"
import type { HealthFacts } from "./judge.ts"

export type ResourceWarning = EventPayload<"ResourceLimitWarning">

type Resource = ResourceWarning["resource_type"]

/** How much of a resource is used, and how much there is. */
export interface Use {
  readonly used: number
  readonly limit: number
}

/** Percent of a limit above which it is close. A processor may be busy for long without any harm. */
export const THRESHOLDS: Readonly<Record<Resource, number>> = { memory: 90, cpu: 95, disk: 90, network: 90 }

/**
 * Use has to fall by so many points below the threshold before the next warning: at the threshold it would come again
 * and again.
 */
export const MARGIN = 5

const heapOf = ({ heapLimit, heapUsed }: ThreadFigures): Use => ({ used: heapUsed, limit: heapLimit })

/** Of a limit of nothing, all is used. */
const share = ({ limit, used }: Use): number => used <= 0 ? 0 : limit <= 0 ? 1 : used / limit

/** The fuller of the two heaps: either one ends the node when it is full. */
const memoryOf = ({ engine, main }: HealthFacts): Use => {
  const [own, others] = [heapOf(main), engine._tag === "Answered" ? heapOf(engine.figures.thread) : undefined]
  return others !== undefined && share(others) > share(own) ? others : own
}

/** Of what may be written: the space that is kept free does not count. */
const diskOf = ({ disk, minimumFreeBytes }: HealthFacts): Use | undefined =>
  disk && { used: disk.total - disk.free, limit: Math.max(0, disk.total - minimumFreeBytes) }

/** Everything with a limit, as far as it is known. */
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
 * Finds what has come close to its limit since the last look: each is warned of once, until it has been well below
 * again.
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
