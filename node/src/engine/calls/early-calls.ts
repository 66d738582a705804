import type { CallMessage } from "./engine-messages.ts"
import type { CallPort } from "./serve.ts"

/** A port that is listened to before anybody can answer. */
export interface EarlyCalls extends CallPort {
  /** Calls `listener` as soon as somebody asks to close, also while calls still wait. */
  readonly onClose: (listener: () => void) => void
}

/** Keeps calls until somebody answers them, so that a start hears that it is not wanted any more. */
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
