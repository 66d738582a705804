import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ReadClock } from "../../clock.ts"
import type { OpenApi } from "../api/module-apis.ts"
import type { Connected, ConnectionOver, ModuleProcess } from "./spawn.ts"

/** A connection that lasted this long resets the count of consecutive losses. */
const STEADY_MS = 60_000

/** Consecutive connections that a process may lose. After one more its module counts as crashed. */
const MOST_LOST = 10

/** Actions and callbacks that make up the life of a module. */
interface ModuleLife {
  readonly process: Effect.Effect<ModuleProcess, string, Scope.Scope>
  /** Opens a new API, without anything left from an earlier connection. */
  readonly open: Effect.Effect<OpenApi, never, Scope.Scope>
  /** Called when the module has completed a handshake, the first or a later one. */
  readonly connected: (connection: Connected, api: OpenApi, isFirst: boolean) => Effect.Effect<void>
  /** Called when the module has lost its connection and may reconnect. */
  readonly cutOff: (reason: string) => Effect.Effect<void>
  /** Ends when the module is asked to stop. */
  readonly stopAsked: Effect.Effect<void>
  readonly isStopAsked: () => boolean
  readonly now: ReadClock
}

/** Runs one connection of a module, from the wait for it to its end. */
const connectionOf = (
  { connected, isStopAsked, open, stopAsked }: ModuleLife,
  process: ModuleProcess,
  lost: string | undefined
): Effect.Effect<ConnectionOver, string> =>
  Effect.scoped(Effect.gen(function*() {
    const api = yield* open
    const connection = yield* Effect.raceFirst(
      process.connect(api, lost),
      Effect.andThen(stopAsked, Effect.fail("was unloaded while it connected"))
    )
    yield* connected(connection, api, lost === undefined)
    // A module that is asked to stop ends its connection itself, and has time to do so.
    const over = Effect.flatMap(
      connection.over,
      (end) => end.isLost && isStopAsked() ? Effect.never : Effect.succeed(end)
    )
    const finished = Effect.as(connection.finish, { reason: "was unloaded", isLost: false })
    return yield* Effect.raceFirst(over, Effect.andThen(stopAsked, finished))
  }))

/**
 * Runs one process of a module from start to end and returns how it ended. A connection lost through no fault of the
 * module is followed by a new one, with fresh state.
 */
export const liveOnce = (life: ModuleLife): Effect.Effect<string> =>
  Effect.gen(function*() {
    const process = yield* life.process
    let lost: string | undefined
    for (let inRow = 0; inRow <= MOST_LOST; inRow++) {
      const since = life.now()
      const { isLost, reason } = yield* connectionOf(life, process, lost)
      if (!isLost) return reason
      if (life.now() - since >= STEADY_MS) inRow = 0
      lost = reason
      yield* life.cutOff(reason)
    }
    return `lost its connection ${MOST_LOST + 1} times in a row: ${lost}`
  }).pipe(
    Effect.scoped,
    Effect.catch((reason: string) => Effect.succeed(reason)),
    Effect.catchDefect((defect) => Effect.succeed(`met a defect of the node: ${String(defect)}`))
  )
