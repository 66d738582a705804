import type { ModuleEventPayload } from "@lockstep/protocol/module-ipc/index.ts"

/** Events that may wait for a handler that is behind; the node drops events only after these. */
export const MAX_WAITING_EVENTS = 10_000

/** Hands events to a handler one after another. */
export interface EventQueue {
  readonly offer: (event: ModuleEventPayload) => void
  /** Resolves when the handler is done with all that was offered. */
  readonly idle: () => Promise<void>
}

/**
 * A queue of events in the order of the node. Each waits until the handler is done with the one before it. Beyond
 * {@link MAX_WAITING_EVENTS} events are dropped, and `EventsDropped` stands in their place.
 */
export const eventQueue = (
  handle: (event: ModuleEventPayload) => unknown,
  failed: (event: ModuleEventPayload, error: unknown) => void,
  most: number = MAX_WAITING_EVENTS
): EventQueue => {
  const waiting: Array<ModuleEventPayload> = []
  let running: Promise<void> | undefined
  let dropped = 0
  let total = 0

  const reportDropped = (): void => {
    if (dropped === 0) return
    total += dropped
    waiting.push({ _tag: "EventsDropped", dropped, total })
    dropped = 0
  }

  /** The next event. What was dropped behind the last one is reported, even where no further event comes. */
  const next = (): ModuleEventPayload | undefined => {
    if (waiting.length === 0) reportDropped()
    return waiting.shift()
  }

  const run = async (): Promise<void> => {
    for (let event = next(); event !== undefined; event = next()) {
      try {
        await handle(event)
      } catch (error) {
        failed(event, error)
      }
    }
    running = undefined
  }

  return {
    offer: (event) => {
      if (waiting.length >= most) {
        dropped++
        return
      }
      reportDropped()
      waiting.push(event)
      running ??= Promise.resolve().then(run)
    },
    idle: () => running ?? Promise.resolve()
  }
}
