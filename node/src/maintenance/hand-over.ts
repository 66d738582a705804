import * as Effect from "effect/Effect"

/** Milliseconds that whoever has the writer's turn waits for more: others may want it meanwhile. */
const PATIENCE = 20

/**
 * Where one fiber puts what it has read and another takes it: one thing at a time, so that little is held. The taker comes
 * and goes; what it leaves is there for the next one.
 */
export interface HandOver<A> {
  /** Puts `item` in; waits until there is room. Answers false, without putting it in, when nobody takes. */
  readonly put: (item: A) => Effect.Effect<boolean>
  /** Nothing more will come. */
  readonly end: () => void
  /** Somebody takes from now on. */
  readonly begin: () => void
  /** Takes what is there, or else ends the taking: what is put in later is refused. */
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
  let wakeGiver = NOBODY
  let wakeTaker = NOBODY

  const take = (): A | undefined => {
    const item = held
    held = undefined
    wakeGiver()
    return item
  }

  const leave = (): void => {
    isTaking = false
    held = undefined
    wakeGiver()
  }

  const room: Effect.Effect<void> = Effect.callback((resume) => {
    if (!isTaking || held === undefined) return resume(Effect.void)
    wakeGiver = () => resume(Effect.void)
    return Effect.sync(() => {
      wakeGiver = NOBODY
    })
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
    put: (item) =>
      Effect.map(room, () => {
        if (!isTaking) return false
        held = item
        wakeTaker()
        return true
      }),
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
