import type { EngineNotification } from "../api/engine-notification.ts"
import type { EngineMessage } from "../api/engine-messages.ts"

/** The messages that the engine sends on its port, in order. */
export interface Outbox {
  /** Queues a notification. It is sent with others, at the latest before the next message. */
  readonly notify: (notification: EngineNotification) => void
  /** Queues a message. It is sent with others before the thread returns to its event loop. */
  readonly send: (message: EngineMessage) => void
  /** Sends everything queued at once. */
  readonly flush: () => void
}

/** The maximum number of notifications in one message; a message costs more than its content. */
const BATCH = 256

export const outbox = (post: (message: EngineMessage) => void): Outbox => {
  let waiting: Array<EngineMessage> = []
  /** The newest notifications, as long as no message follows them. */
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
