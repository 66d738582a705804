import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { TreeNode } from "../header-tree/tree-node.ts"

/** Blocks that are next and wait to be connected: whoever brings more waits while they are too many. */
export interface Backlog {
  readonly add: (node: TreeNode, bytes: number) => void
  readonly remove: (node: TreeNode) => void
  /** Nothing is being connected: nobody may wait for that. */
  readonly clear: () => void
  readonly room: Effect.Effect<void>
  /** What waits, from this call on, until the block is in here no more and {@link Backlog.tell} is called. */
  readonly gone: (node: TreeNode) => Effect.Effect<void>
  /** What was done is on disk, and told: whoever waits for it goes on. */
  readonly tell: () => void
}

export const makeBacklog = (limit: number): Backlog => {
  const held = new Map<number, number>()
  const waiting = new Set<() => void>()
  /** Whoever waits for single blocks, by their index. */
  const watched = new Map<number, Deferred.Deferred<void>>()
  let total = 0

  const letGo = (): void => {
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
      held.delete(index)
      if (total <= limit) letGo()
    },
    clear: () => {
      held.clear()
      total = 0
      letGo()
    },
    gone: ({ index }) => {
      const found = watched.get(index) ?? Deferred.makeUnsafe<void>()
      watched.set(index, found)
      return Deferred.await(found)
    },
    tell: () => {
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
