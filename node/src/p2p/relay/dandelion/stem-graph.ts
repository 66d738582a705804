import type { UnixMilliseconds } from "../../../quantities.ts"
import type { Random } from "../../basics/environment.ts"
import { DANDELION_LIMITS } from "./dandelion-limits.ts"

/** The source of a stem transaction: a peer, by its id, or this node. */
export type StemSource = number | "own"

/** This node's edges of the stem graph, which change with each epoch (Dandelion++: a quasi-4-regular graph). */
export interface StemGraph {
  /**
   * Returns the peer that a stem transaction goes to, or `undefined` to fluff it. All transactions of a source take the
   * same route during an epoch. `candidates` are ids of the outbound peers that accept stem transactions.
   */
  readonly route: (source: StemSource, candidates: ReadonlyArray<number>, now: UnixMilliseconds) => number | undefined
  /** Forgets a peer. */
  readonly gone: (peer: number) => void
}

/**
 * Makes the graph. `fluffProbability` is the probability of fluffing the stem transactions of peers during an epoch.
 */
export const stemGraph = (random: Random, fluffProbability: number): StemGraph => {
  let epochEnd: number | undefined
  let isDiffuser = false
  let destinations: Array<number> = []
  const routes = new Map<StemSource, number>()

  const renew = (now: UnixMilliseconds): void => {
    if (epochEnd !== undefined && now < epochEnd) return
    // The first epoch is randomly shorter, so that nodes that start together do not change their edges together.
    const { most } = DANDELION_LIMITS.epoch
    epochEnd = now + (epochEnd === undefined ? random.below(most) + 1 : most)
    isDiffuser = random.below(1_000_000) < fluffProbability * 1_000_000
    destinations = []
    routes.clear()
  }

  /** Replaces destinations that are gone. */
  const choose = (candidates: ReadonlyArray<number>): void => {
    destinations = destinations.filter((peer) => candidates.includes(peer))
    const others = candidates.filter((peer) => !destinations.includes(peer))
    while (destinations.length < DANDELION_LIMITS.destinations.most && others.length > 0) {
      destinations.push(...others.splice(random.below(others.length), 1))
    }
  }

  /** Returns a random destination among those that the fewest sources use. */
  const choiceFor = (source: StemSource): number | undefined => {
    const uses = new Map(destinations.filter((peer) => peer !== source).map((peer) => [peer, 0]))
    for (const to of routes.values()) {
      const count = uses.get(to)
      if (count !== undefined) uses.set(to, count + 1)
    }
    const least = Math.min(...uses.values())
    const best = [...uses].flatMap(([peer, count]) => count === least ? [peer] : [])
    return best.length === 0 ? undefined : best[random.below(best.length)]
  }

  return {
    route: (source, candidates, now) => {
      renew(now)
      choose(candidates)
      if (isDiffuser && source !== "own") return undefined
      const before = routes.get(source)
      if (before !== undefined && destinations.includes(before)) return before
      routes.delete(source)
      const to = choiceFor(source)
      if (to !== undefined) routes.set(source, to)
      return to
    },
    gone: (peer) => {
      routes.delete(peer)
      destinations = destinations.filter((each) => each !== peer)
    }
  }
}
