import type { QueuedHook } from "../queue/outbox.ts"
import type { DeliveryRules } from "../settings.ts"
import { openPause, pauseAfter } from "./pause.ts"
import type { Sender } from "./sender.ts"

/** State of the deliveries to an endpoint. */
export interface DeliveryFacts {
  readonly state: "idle" | "delivering" | "failing" | "dead"
  readonly sent: number
  readonly failures: number
  /** Consecutive failures up to the last attempt. */
  readonly consecutiveFailures: number
  readonly lastError: string | undefined
  /** Milliseconds since the epoch; `undefined` if no attempt is scheduled. */
  readonly nextAttempt: number | undefined
}

/** Receivers of delivery reports. */
export interface DeliveryReports {
  readonly sent: (event: string) => void
  /**
   * Reports a failure. `isFirst` marks the first of consecutive ones; `isDead` the one at which the endpoint counts as
   * dead.
   */
  readonly failed: (event: string, error: string, of: { readonly isFirst: boolean; readonly isDead: boolean }) => void
  readonly recovered: (failures: number) => void
}

/** Delivers the events of one hook, each after its predecessor was accepted. */
export interface DeliveryWorker {
  readonly facts: () => DeliveryFacts
  /** Ends a pause between attempts. */
  readonly retry: () => void
  /** Drops the oldest event. Resolves with its number, or `undefined` if no event waits. */
  readonly skip: () => Promise<number | undefined>
  readonly stop: () => void
}

const eventIn = (body: Uint8Array): string =>
  (JSON.parse(Buffer.from(body).toString()) as { readonly event: string }).event

const newState = () => ({
  isOver: false,
  isSending: false,
  sent: 0,
  failures: 0,
  inRow: 0,
  lastError: undefined as string | undefined
})

const factsOf = (
  { failures, inRow, isSending, lastError, sent }: ReturnType<typeof newState>,
  failuresUntilDead: number,
  nextAttempt: number | undefined
): DeliveryFacts => ({
  state: inRow >= failuresUntilDead ? "dead" : inRow > 0 ? "failing" : isSending ? "delivering" : "idle",
  sent,
  failures,
  consecutiveFailures: inRow,
  lastError,
  nextAttempt
})

/** Starts deliveries, which end with `stop`. */
export const deliver = (
  { hook, queue }: QueuedHook,
  sender: Sender,
  { failuresUntilDead, longestPauseMs }: DeliveryRules,
  reports: DeliveryReports
): DeliveryWorker => {
  const pause = openPause()
  const state = newState()

  const failed = (event: string, error: unknown): void => {
    state.failures++
    state.inRow++
    state.lastError = error instanceof Error ? error.message : String(error)
    const of = { isFirst: state.inRow === 1, isDead: state.inRow === failuresUntilDead }
    reports.failed(event, state.lastError, of)
  }

  /** Tries to deliver an event. Resolves with true if it was accepted or no longer waits. */
  const attempt = async (number: number, body: Uint8Array): Promise<boolean> => {
    if (!queue.isWaiting(number)) return true
    const event = eventIn(body)
    state.isSending = true
    try {
      await sender.send({ hook: hook.name, number, event, body })
    } catch (error) {
      if (!state.isOver) failed(event, error)
      return false
    } finally {
      state.isSending = false
    }
    state.sent++
    if (state.inRow > 0) reports.recovered(state.inRow)
    state.inRow = 0
    reports.sent(event)
    await queue.remove(number)
    return true
  }

  const deliverPage = async (): Promise<void> => {
    const events = await queue.oldest()
    if (events.length === 0) await queue.appended()
    for (const { body, number } of events) {
      while (!state.isOver && !await attempt(number, body)) {
        if (!state.isOver) await pause.wait(pauseAfter(state.inRow, longestPauseMs))
      }
      if (state.isOver) return
    }
  }

  const run = async (): Promise<void> => {
    while (!state.isOver) {
      try {
        await deliverPage()
      } catch (error) {
        // The database may fail temporarily.
        state.lastError = (error as Error).message
        if (!state.isOver) await pause.wait(longestPauseMs)
      }
    }
  }
  void run()

  return {
    facts: () => factsOf(state, failuresUntilDead, pause.until()),
    retry: pause.end,
    skip: async () => {
      const [oldest] = await queue.oldest()
      if (oldest === undefined) return undefined
      await queue.remove(oldest.number)
      pause.end()
      return oldest.number
    },
    stop: () => {
      state.isOver = true
      pause.end()
      sender.close()
    }
  }
}
