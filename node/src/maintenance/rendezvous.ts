import * as Effect from "effect/Effect"

/** Milliseconds that the holder of the writer's turn waits for more: others may want the turn meanwhile. */
const PATIENCE = 20

/**
 * A rendezvous channel: one fiber passes items it has read to another, one at a time. It reads no more before the item
 * is taken, so that little is held. The taker comes and goes.
 */
export interface Rendezvous<A> {
  /** Puts `item`; waits until it is taken. Answers false when there is no taker. */
  readonly put: (item: A) => Effect.Effect<boolean>
  /** Nothing more will come. */
  readonly end: () => void
  /** A taker begins. */
  readonly begin: () => void
  /** Takes what is there, or else ends the taking: a later `put` is refused. */
  readonly takeOrLeave: () => A | undefined
  /** Takes what is there or comes soon; none: nothing does. */
  readonly takeSoon: Effect.Effect<A | undefined>
  /** Ends the taking, whatever is there. */
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
