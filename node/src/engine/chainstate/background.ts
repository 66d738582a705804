import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { addFinalizer } from "../../finalizers/finalizers.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { breakDown } from "./faults.ts"
import { setClosing } from "../state/engine-status.ts"
import { notifyLog } from "../notify/notifications.ts"

/** The fibers of an engine besides its calls. They end with its scope, the last one that was started first. */
export interface Background {
  /** Starts work at once. A defect of it breaks the engine: nothing may be built on what it left behind. */
  readonly start: (work: Effect.Effect<unknown>) => void
  /** The same, as soon as the calling fiber yields. */
  readonly fork: (work: Effect.Effect<unknown>) => Effect.Effect<void>
  readonly scope: Scope.Scope
}

const reported = (engine: ChainEngine, work: Effect.Effect<unknown>): Effect.Effect<unknown> =>
  Effect.catchCause(work, (cause) => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.void
    const text = Cause.pretty(cause)
    notifyLog(engine, "error", "A defect of this program ended work in the background", { cause: text })
    breakDown(engine, `A defect of this program ended work in the background: ${text}`)
    return Effect.void
  })

/** Supervises what the engine does by itself, until the scope closes. */
export const superviseBackground = Effect.fnUntraced(
  function*(engine: ChainEngine): Effect.fn.Return<Background, never, Scope.Scope> {
    const scope = yield* Effect.scope
    const run = Effect.runForkWith(yield* Effect.context<never>())
    return {
      start: (work) => void run(Effect.forkIn(reported(engine, work), scope, { startImmediately: true })),
      fork: (work) => Effect.asVoid(Effect.forkIn(reported(engine, work), scope)),
      scope
    }
  }
)

/** Ends long tasks first when the scope closes. Comes after all that was started. */
export const endTasksFirst = (engine: ChainEngine): Effect.Effect<void, never, Scope.Scope> =>
  addFinalizer(() => Effect.sync(() => setClosing(engine)))
