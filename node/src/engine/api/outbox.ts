import type { EngineNotification } from "./engine-notification.ts"
import type { EngineMessage } from "./engine-messages.ts"

/** The messages that the engine sends on its port, in order. */
export interface Outbox {
  /** Sent together with others, at the latest before the next message. */
  readonly news: (news: EngineNotification) => void
  /** Sent together with what else is sent before the thread turns to something else. */
  readonly send: (message: EngineMessage) => void
  /** Sends all that waits at once. */
  readonly flush: () => void
}

/** Notifications in one message, at most: a message costs more than its content. */
const TOGETHER = 256

export const outbox = (post: (message: EngineMessage) => void): Outbox => {
  let waiting: Array<EngineMessage> = []
  /** The newest notifications, while no message comes behind them. */
  let news: Array<EngineNotification> | undefined
  let isDue = false

  const flush = (): void => {
    isDue = false
    if (waiting.length === 0) return
    const messages = waiting
    waiting = []
    news = undefined
    post(messages.length === 1 ? messages[0]! : { _tag: "Together", messages })
  }

  return {
    flush,
    news: (each) => {
      if (waiting.length === 0) setImmediate(flush)
      if (news === undefined) {
        news = []
        waiting.push({ _tag: "News", news })
      }
      news.push(each)
      if (news.length >= TOGETHER) flush()
    },
    send: (message) => {
      waiting.push(message)
      news = undefined
      if (isDue) return
      isDue = true
      queueMicrotask(flush)
    }
  }
}
