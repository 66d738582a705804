import type { EngineNotification } from "../api/engine-notification.ts"
import type { EngineMessage } from "../api/engine-messages.ts"

/** The messages that the engine sends on its port, in order. */
export interface Outbox {
  /** Sent together with others, at the latest before the next message. */
  readonly notify: (notification: EngineNotification) => void
  /** Sent together with what else is sent before the thread turns to something else. */
  readonly send: (message: EngineMessage) => void
  /** Sends all that waits at once. */
  readonly flush: () => void
}

/** Notifications in one message, at most: a message costs more than its content. */
const BATCH = 256

export const outbox = (post: (message: EngineMessage) => void): Outbox => {
  let waiting: Array<EngineMessage> = []
  /** The newest notifications, while no message comes behind them. */
  let notifications: Array<EngineNotification> | undefined
  let isDue = false

  const flush = (): void => {
    isDue = false
    if (waiting.length === 0) return
    const messages = waiting
    waiting = []
    notifications = undefined
    post(messages.length === 1 ? messages[0]! : { _tag: "Batch", messages })
  }

  return {
    flush,
    notify: (notification) => {
      if (waiting.length === 0) setImmediate(flush)
      if (notifications === undefined) {
        notifications = []
        waiting.push({ _tag: "Notifications", notifications })
      }
      notifications.push(notification)
      if (notifications.length >= BATCH) flush()
    },
    send: (message) => {
      waiting.push(message)
      notifications = undefined
      if (isDue) return
      isDue = true
      queueMicrotask(flush)
    }
  }
}
