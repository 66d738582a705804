import * as Effect from "effect/Effect"

/** Connections of a listening socket, which outlive its listening: it ends with the last of them. */
export interface ConnectionDrain {
  /** A connection is there until the promise settles. */
  readonly opened: (closed: Promise<unknown>) => void
  /** Closes the socket now or with the last connection. */
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
    // Sockets that do not close well are gone with the process at the latest; the node stops all the same.
    stop: (close) => {
      ended = () => void close().catch(() => undefined)
      return open > 0 ? Effect.void : Effect.asVoid(Effect.promise(() => close().catch(() => undefined)))
    }
  }
}
