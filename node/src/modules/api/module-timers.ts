import type { IpcError } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { requestFailed } from "./api-call.ts"

/** Maximum number of timers and tasks of one module. */
export const MAX_TIMERS = 64

/** Longest interval and delay, in seconds: a year. */
const MAX_SECONDS = 365 * 24 * 60 * 60

/** The timers of one module, which end with it. */
export interface ModuleTimers {
  /** Fires repeatedly. Returns the timer's id. */
  readonly every: (seconds: number) => Effect.Effect<number, IpcError>
  /** Fires once. Returns the timer's id. */
  readonly after: (seconds: number) => Effect.Effect<number, IpcError>
  readonly cancel: (id: number) => Effect.Effect<void, IpcError>
}

/** Timers of a module, initially empty. `fire` is called with the id of each due timer and must be quick. */
export const moduleTimers = (scope: Scope.Scope, fire: (id: number) => void): ModuleTimers => {
  const running = new Map<number, Fiber.Fiber<unknown>>()
  let lastId = 0

  const start = (seconds: number, least: number, work: (id: number) => Effect.Effect<unknown>) =>
    Effect.gen(function*() {
      if (seconds < least || seconds > MAX_SECONDS) {
        return yield* Effect.fail(requestFailed(`a time must be from ${least} to ${MAX_SECONDS} seconds`))
      }
      if (running.size >= MAX_TIMERS) {
        return yield* Effect.fail(
          { kind: "ResourceExhausted", text: `the module has ${MAX_TIMERS} timers: cancel one first` } as const
        )
      }
      const id = ++lastId
      running.set(id, yield* Effect.forkIn(work(id), scope))
      return id
    })

  return {
    every: (seconds) =>
      start(
        seconds,
        1,
        (id) => Effect.forever(Effect.andThen(Effect.sleep(1_000 * seconds), Effect.sync(() => fire(id))))
      ),
    after: (seconds) =>
      start(seconds, 0, (id) =>
        Effect.andThen(
          Effect.sleep(1_000 * seconds),
          Effect.sync(() => {
            running.delete(id)
            fire(id)
          })
        )),
    cancel: (id) =>
      Effect.suspend(() => {
        const fiber = running.get(id)
        if (fiber === undefined) return Effect.fail(requestFailed(`there is no timer ${id}`))
        running.delete(id)
        return Fiber.interrupt(fiber)
      })
  }
}
