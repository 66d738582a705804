import * as Effect from "effect/Effect"

/** Milliseconds that the holder of the writer's turn waits for more. Others may want the turn meanwhile. */
const PATIENCE = 20

/**
 * A rendezvous channel: one fiber passes items to another, one at a time. It reads the next item only after the last
 * one is taken, so that little is in memory. The taker starts and stops.
 */
export interface Rendezvous<A> {
  /** Offers `item` and waits until it is taken. Returns false if there is no taker. */
  readonly put: (item: A) => Effect.Effect<boolean>
  /** Ends the channel: no more items follow. */
  readonly end: () => void
  /** Begins to take items. */
  readonly begin: () => void
  /** Takes the offered item, or else stops taking: a later `put` returns false. */
  readonly takeOrLeave: () => A | undefined
  /** Takes the offered item, or one offered soon; `undefined` if none is. */
  readonly takeSoon: Effect.Effect<A | undefined>
  /** Stops taking, even if an item is offered. */
  readonly leave: () => void
}

const IDLE = (): void => {}

export const rendezvous = <A>(): Rendezvous<A> => {
  let held: A | undefined
  let isTaking = false
  let isEnded = false
  let wakePutter: (isTaken: boolean) => void = IDLE
  let wakeTaker = IDLE

  const take = (): A | undefined => {
    const item = held
    wakePutter(true)
    return item
  }

  const leave = (): void => {
    isTaking = false
    wakePutter(false)
  }

  const put = (item: A): Effect.Effect<boolean> =>
    Effect.callback((resume) => {
      if (!isTaking) return resume(Effect.succeed(false))
      held = item
      wakePutter = (isTaken) => {
        wakePutter = IDLE
        held = undefined
        resume(Effect.succeed(isTaken))
      }
      wakeTaker()
      return Effect.sync(() => wakePutter(false))
    })

  const something: Effect.Effect<void> = Effect.callback((resume) => {
    if (held !== undefined || isEnded) return resume(Effect.void)
    wakeTaker = () => {
      wakeTaker = IDLE
      resume(Effect.void)
    }
    return Effect.sync(() => {
      wakeTaker = IDLE
    })
  })

  return {
    put,
    end: () => {
      isEnded = true
      wakeTaker()
    },
    begin: () => {
      isTaking = true
      isEnded = false
    },
    takeOrLeave: () => {
      const item = take()
      if (item === undefined) leave()
      return item
    },
    takeSoon: Effect.map(Effect.timeoutOption(something, PATIENCE), take),
    leave
  }
}
