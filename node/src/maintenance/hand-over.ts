import * as Effect from "effect/Effect"

/** Milliseconds that whoever has the writer's turn waits for more: others may want it meanwhile. */
const PATIENCE = 20

/**
 * Where one fiber gives what it has read to another: one thing at a time, and nothing more is read before it is taken, so
 * that little is held. The taker comes and goes.
 */
export interface HandOver<A> {
  /** Gives `item`; waits until it is taken. Answers false when nobody takes it. */
  readonly put: (item: A) => Effect.Effect<boolean>
  /** Nothing more will come. */
  readonly end: () => void
  /** Somebody takes from now on. */
  readonly begin: () => void
  /** Takes what is there, or else ends the taking: what is given later is refused. */
  readonly takeOrLeave: () => A | undefined
  /** Takes what is there or comes soon; none: nothing does. */
  readonly takeSoon: Effect.Effect<A | undefined>
  /** Ends the taking, whatever is there. */
  readonly leave: () => void
}

const NOBODY = (): void => {}

export const handOver = <A>(): HandOver<A> => {
  let held: A | undefined
  let isTaking = false
  let isEnded = false
  let wakeGiver: (isTaken: boolean) => void = NOBODY
  let wakeTaker = NOBODY

  const take = (): A | undefined => {
    const item = held
    wakeGiver(true)
    return item
  }

  const leave = (): void => {
    isTaking = false
    wakeGiver(false)
  }

  const put = (item: A): Effect.Effect<boolean> =>
    Effect.callback((resume) => {
      if (!isTaking) return resume(Effect.succeed(false))
      held = item
      wakeGiver = (isTaken) => {
        wakeGiver = NOBODY
        held = undefined
        resume(Effect.succeed(isTaken))
      }
      wakeTaker()
      return Effect.sync(() => wakeGiver(false))
    })

  const something: Effect.Effect<void> = Effect.callback((resume) => {
    if (held !== undefined || isEnded) return resume(Effect.void)
    const timer = setTimeout(() => wakeTaker(), PATIENCE)
    wakeTaker = () => {
      clearTimeout(timer)
      wakeTaker = NOBODY
      resume(Effect.void)
    }
    return Effect.sync(() => wakeTaker())
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
    takeSoon: Effect.map(something, take),
    leave
  }
}
