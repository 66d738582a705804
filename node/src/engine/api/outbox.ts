import type { EngineNotification } from "./engine-calls.ts"
import type { EngineMessage } from "./engine-messages.ts"

/** The messages that the engine sends on its port, in order. */
export interface Outbox {
  /** Sent together with others, at the latest before the next message. */
  readonly news: (news: EngineNotification) => void
  readonly send: (message: EngineMessage) => void
}

/** Notifications in one message, at most: a message costs more than its content. */
const TOGETHER = 256

export const outbox = (post: (message: EngineMessage) => void): Outbox => {
  let waiting: Array<EngineNotification> = []
  const flush = (): void => {
    if (waiting.length === 0) return
    post({ _tag: "News", news: waiting })
    waiting = []
  }
  return {
    news: (news) => {
      if (waiting.length === 0) setImmediate(flush)
      waiting.push(news)
      if (waiting.length >= TOGETHER) flush()
    },
    send: (message) => {
      flush()
      post(message)
    }
  }
}
