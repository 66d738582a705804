import type { CallMessage } from "../api/engine-messages.ts"
import type { CallPort } from "./serve.ts"

/** A port that takes calls before the engine can answer them. */
export interface EarlyCalls extends CallPort {
  /** Calls `listener` as soon as the engine is to close, even while calls still wait. */
  readonly onClose: (listener: () => void) => void
}

/** Queues calls until the engine handles them, and reports a close request to a start that is still running. */
export const earlyCalls = (port: CallPort): EarlyCalls => {
  const waiting: Array<CallMessage> = []
  let deliver = (message: CallMessage): void => void waiting.push(message)
  const closeListeners: Array<() => void> = []
  let isClosing = false
  port.on("message", (message) => {
    if (message.name === "close") {
      isClosing = true
      for (const listener of closeListeners) listener()
    }
    deliver(message)
  })
  return {
    on: (_, listener) => {
      deliver = listener
      for (const message of waiting.splice(0)) listener(message)
    },
    onClose: (listener) => {
      closeListeners.push(listener)
      if (isClosing) listener()
    }
  }
}
