import type { ModuleEventPayload } from "@lockstep/protocol/module-ipc/index.ts"

/** Maximum number of events that wait for a slow handler. Further events are dropped. */
export const MAX_WAITING_EVENTS = 10_000

/** Passes events to a handler one after another. */
export interface EventQueue {
  readonly offer: (event: ModuleEventPayload) => void
  /** Resolves when the handler has processed all events offered so far. */
  readonly idle: () => Promise<void>
}

/**
 * Queues events in the order of the node. Each waits until the handler has finished its predecessor. Events beyond
 * {@link MAX_WAITING_EVENTS} are dropped, and one `EventsDropped` is handled instead.
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

  /** Returns the next event. Events dropped after the last one are reported even if no further event follows. */
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
