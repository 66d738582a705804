import * as Effect from "effect/Effect"
import { onInterrupt } from "../../finalizers/finalizers.ts"
import type { Orphan } from "./orphanage.ts"

/**
 * Orphan resolution (Core: `m_work_set`): orphans whose parents have arrived, and the peers on whose turn they are
 * tried again.
 */
export interface OrphanWorkQueue {
  /**
   * Tries those of these orphans that a peer sent or announced, and their children in turn; the others are left for
   * later.
   */
  readonly tryOf: (peer: number, orphans: ReadonlyArray<Orphan>) => Effect.Effect<void>
  readonly later: (orphans: Iterable<Orphan>) => void
  /** Tries one that was left for later. Answers whether there was one. */
  readonly tryNext: Effect.Effect<boolean>
}

const takeFirst = (orphans: Set<Orphan>): Orphan | undefined => {
  const [first] = orphans
  if (first !== undefined) orphans.delete(first)
  return first
}

/**
 * `judge` answers the orphans that waited for the one it judged; `somethingWaits` is called when some were left for
 * later.
 */
export const orphanWorkQueue = (
  judge: (orphan: Orphan) => Effect.Effect<ReadonlyArray<Orphan>>,
  somethingWaits: () => void
): OrphanWorkQueue => {
  /** In the order in which their parents came; no more than there are orphans. */
  const waiting = new Set<Orphan>()

  const later = (orphans: Iterable<Orphan>): void => {
    for (const orphan of orphans) waiting.add(orphan)
    if (waiting.size > 0) somethingWaits()
  }

  /** Orphans of the peer are its own work. Those of other peers must not delay its messages. */
  const split = (peer: number, own: Set<Orphan>, orphans: ReadonlyArray<Orphan>): void => {
    for (const orphan of orphans) if (orphan.peers.has(peer)) own.add(orphan)
    later(orphans.filter(({ peers }) => !peers.has(peer)))
  }

  const tryOf = (peer: number, orphans: ReadonlyArray<Orphan>): Effect.Effect<void> =>
    Effect.suspend(() => {
      const own = new Set<Orphan>()
      split(peer, own, orphans)
      const tryFirst = Effect.suspend(() => {
        const first = takeFirst(own)
        return first === undefined ? Effect.void : Effect.map(judge(first), (children) => split(peer, own, children))
      })
      const all = Effect.whileLoop({
        while: () => own.size > 0,
        body: () => Effect.andThen(tryFirst, Effect.yieldNow),
        step: () => {}
      })
      // The connection may end meanwhile; its orphans may be those of others too.
      return onInterrupt(all, () => Effect.sync(() => later(own)))
    })

  const tryNext = Effect.suspend(() => {
    const next = takeFirst(waiting)
    if (next === undefined) return Effect.succeed(false)
    return Effect.map(judge(next), (children) => {
      later(children)
      return true
    })
  })

  return { tryOf, later, tryNext }
}
