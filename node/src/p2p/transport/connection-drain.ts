import * as Effect from "effect/Effect"

/** Connections of a listening socket, which outlive its listening. The socket ends with the last of them. */
export interface ConnectionDrain {
  /** Adds a connection, which is open until the promise settles. */
  readonly opened: (closed: Promise<unknown>) => void
  /** Closes the socket now, or with the last connection. */
  readonly stop: (close: () => Promise<unknown>) => Effect.Effect<void>
}

export const connectionDrain = (): ConnectionDrain => {
  let open = 0
  let ended: (() => void) | undefined
  const closed = (): void => {
    open--
    if (open === 0) ended?.()
  }
  return {
    opened: (promise) => {
      open++
      promise.then(closed, closed)
    },
    // Sockets that fail to close end with the process at the latest, and the node stops all the same.
    stop: (close) => {
      ended = () => void close().catch(() => undefined)
      return open > 0 ? Effect.void : Effect.asVoid(Effect.promise(() => close().catch(() => undefined)))
    }
  }
}
