import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ReadClock } from "../../clock.ts"
import type { OpenApi } from "../api/module-apis.ts"
import type { Connected, ConnectionOver, ModuleProcess } from "./spawn.ts"

/** A connection that lasted for so long starts a new row of those that were lost. */
const STEADY_MS = 60_000

/** Connections in a row that a process may lose; with one more its module counts as crashed. */
const MOST_LOST = 10

/** The parts that the life of a module is made of, and where its changes are reported. */
interface ModuleLife {
  readonly process: Effect.Effect<ModuleProcess, string, Scope.Scope>
  /** Opens an API, which nothing of an earlier connection is left in. */
  readonly open: Effect.Effect<OpenApi, never, Scope.Scope>
  /** The module has shaken hands, for the first time or again. */
  readonly connected: (connection: Connected, api: OpenApi, isFirst: boolean) => Effect.Effect<void>
  /** The module has lost its connection, and may connect again. */
  readonly cutOff: (reason: string) => Effect.Effect<void>
  /** Ends when the module is to end. */
  readonly stopAsked: Effect.Effect<void>
  readonly isStopAsked: () => boolean
  readonly now: ReadClock
}

/** One connection of a module, from the wait for it to its end. */
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
    // A module that is asked to end does so by the end of its connection, and has time for it.
    const over = Effect.flatMap(
      connection.over,
      (end) => end.isLost && isStopAsked() ? Effect.never : Effect.succeed(end)
    )
    const finished = Effect.as(connection.finish, { reason: "was unloaded", isLost: false })
    return yield* Effect.raceFirst(over, Effect.andThen(stopAsked, finished))
  }))

/**
 * Runs one process of a module, from its start to its end; answers how it ended. A connection that is lost without a fault
 * of the module's is followed by another one, with everything in it anew.
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
