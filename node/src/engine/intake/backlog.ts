import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"

/** Blocks that wait to be connected. While they are too many, peers that send more have to wait (back-pressure). */
export interface Backlog {
  readonly add: (node: HeaderIndexNode, bytes: number) => void
  readonly remove: (node: HeaderIndexNode) => void
  /** Releases all that wait for space, because no block is being connected. */
  readonly clear: () => void
  readonly room: Effect.Effect<void>
  /** Waits, from this call on, until the block is removed and {@link Backlog.notify} is called. */
  readonly gone: (node: HeaderIndexNode) => Effect.Effect<void>
  /** Waits, from this call on, for all blocks in the backlog, as `gone` does for one. */
  readonly allGone: Effect.Effect<void>
  /** Releases those that wait for removed blocks. Called once the changes are on disk and notified. */
  readonly notify: () => void
}

export const makeBacklog = (limit: number): Backlog => {
  const held = new Map<number, number>()
  /** Indices of removed blocks whose outcome is not yet on disk or not yet notified. */
  const unsettled = new Set<number>()
  const waiting = new Set<() => void>()
  /** Waiters for single blocks, by index. */
  const watched = new Map<number, Deferred.Deferred<void>>()
  let total = 0

  const goneAt = (index: number): Effect.Effect<void> => {
    const found = watched.get(index) ?? Deferred.makeUnsafe<void>()
    watched.set(index, found)
    return Deferred.await(found)
  }

  const releaseWaiting = (): void => {
    for (const resume of waiting) resume()
    waiting.clear()
  }

  return {
    add: ({ index }, bytes) => {
      held.set(index, bytes)
      total += bytes
    },
    remove: ({ index }) => {
      total -= held.get(index) ?? 0
      if (held.delete(index)) unsettled.add(index)
      if (total <= limit) releaseWaiting()
    },
    clear: () => {
      held.clear()
      total = 0
      releaseWaiting()
    },
    gone: ({ index }) => goneAt(index),
    allGone: Effect.suspend(() => Effect.all([...held.keys(), ...unsettled].map(goneAt), { discard: true })),
    notify: () => {
      unsettled.clear()
      for (const [index, gone] of watched) {
        if (held.has(index)) continue
        watched.delete(index)
        Deferred.doneUnsafe(gone, Effect.void)
      }
    },
    room: Effect.callback((resume) => {
      if (total <= limit) return resume(Effect.void)
      const go = (): void => resume(Effect.void)
      waiting.add(go)
      return Effect.sync(() => void waiting.delete(go))
    })
  }
}
