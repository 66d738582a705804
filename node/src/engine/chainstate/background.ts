import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { addFinalizer } from "../../finalizers/finalizers.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { breakDown } from "./faults.ts"
import { setClosing } from "../state/engine-status.ts"
import { notifyLog } from "../notify/notifications.ts"

/** The fibers of an engine besides its calls. They end with its scope; the first one started ends last. */
export interface Background {
  /** Starts work at once. A defect in it breaks the engine, because its partial changes must not be built on. */
  readonly start: (work: Effect.Effect<unknown>) => void
  /** Starts work as soon as the calling fiber yields. */
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

/** Supervises the background work of the engine until the scope closes. */
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

/** Ends long tasks first when the scope closes. Installed after all others. */
export const endTasksFirst = (engine: ChainEngine): Effect.Effect<void, never, Scope.Scope> =>
  addFinalizer(() => Effect.sync(() => setClosing(engine)))
