import type { NodeClient } from "@lockstep/sdk"
import { droppedKey, eventKey, eventNumber, eventsOf, nextNumberKey, numberBytes, numberIn } from "./keys.ts"

/** Entries that one change of the database writes and removes, atomically. */
export interface Batch {
  readonly puts: Array<{ readonly key: Uint8Array; readonly value: Uint8Array }>
  readonly removals: Array<Uint8Array>
}

/** A queued event with its number. */
export interface QueuedEvent {
  readonly number: number
  readonly body: Uint8Array
}

/** The undelivered events of one hook on disk, in order. Their numbers are consecutive. */
export interface HookQueue {
  /** Adds an event to a batch. Call `commit` once the batch is written. */
  readonly append: (batch: Batch, body: (number: number) => Uint8Array) => { readonly commit: () => void }
  /** Returns some of the oldest events; the list is empty if no event waits. */
  readonly oldest: () => Promise<ReadonlyArray<QueuedEvent>>
  /** Reports whether an event still waits; it may have been dropped. */
  readonly isWaiting: (number: number) => boolean
  readonly remove: (number: number) => Promise<void>
  readonly waiting: () => number
  readonly dropped: () => number
  /** Resolves when an event was appended since the last call. */
  readonly appended: () => Promise<void>
}

/** Events that are read together. */
const PAGE = 64

const firstNumber = async (node: NodeClient, hook: string): Promise<number | undefined> => {
  const { value } = await node.ask("ListStorage", { ...eventsOf(hook), limit: 1, reverse: false })
  return value[0] === undefined ? undefined : eventNumber(value[0].key)
}

/** Opens the queue of a hook in the database. */
export const openHookQueue = async (node: NodeClient, hook: string, mostWaiting: number): Promise<HookQueue> => {
  const { value: [nextBytes, droppedBytes] } = await node.ask("ReadStorage", {
    keys: [nextNumberKey(hook), droppedKey(hook)]
  })
  let next = numberIn(nextBytes) ?? 1
  let first = await firstNumber(node, hook) ?? next
  let dropped = numberIn(droppedBytes) ?? 0
  let hasAppended = true
  let wake: (() => void) | undefined

  return {
    append: (batch, body) => {
      const number = next
      const isFull = number - first >= mostWaiting
      batch.puts.push(
        { key: eventKey(hook, number), value: body(number) },
        { key: nextNumberKey(hook), value: numberBytes(number + 1) }
      )
      if (isFull) {
        batch.removals.push(eventKey(hook, first))
        batch.puts.push({ key: droppedKey(hook), value: numberBytes(dropped + 1) })
      }
      return {
        commit: () => {
          next = number + 1
          if (isFull) {
            dropped++
            first = Math.max(first, next - mostWaiting)
          }
          hasAppended = true
          wake?.()
        }
      }
    },
    oldest: async () => {
      const { from, to } = eventsOf(hook)
      const { value } = await node.ask("ListStorage", { from, to, limit: PAGE, reverse: false })
      return value.map(({ key, value: body }) => ({ number: eventNumber(key), body }))
    },
    isWaiting: (number) => number >= first && number < next,
    remove: async (number) => {
      await node.ask("WriteStorage", { puts: [], removals: [eventKey(hook, number)] })
      first = Math.max(first, number + 1)
    },
    waiting: () => next - first,
    dropped: () => dropped,
    appended: async () => {
      if (!hasAppended) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      hasAppended = false
    }
  }
}
