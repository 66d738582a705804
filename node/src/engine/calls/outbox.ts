import type { EngineNews } from "./engine-calls.ts"
import type { EngineMessage } from "./engine-messages.ts"

/** What the engine says on its port, in order. */
export interface Outbox {
  /** Goes out with others, at the latest before the next message. */
  readonly news: (news: EngineNews) => void
  readonly send: (message: EngineMessage) => void
}

/** News that are sent together at most: a message costs more than what is in it. */
const TOGETHER = 256

export const outbox = (post: (message: EngineMessage) => void): Outbox => {
  let waiting: Array<EngineNews> = []
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
