import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Chain, EngineFailure } from "../engine-client/chain.ts"
import type { EngineFault } from "../engine/api/engine-error.ts"
import type { EventBus } from "../events/event-bus.ts"
import type { Log } from "../log/log-layer.ts"
import type { Shutdown } from "../runtime/shutdown.ts"
import type { CrashNotice } from "./crash-witness.ts"

/** Actions of a program around the node that it runs. */
export interface LifecycleHooks {
  /** The log; by default the configured one. */
  readonly log?: Layer.Layer<Log>
  /** True if a stopping node ignores further signals. Otherwise one that comes after a while ends it at once. */
  readonly ignoresSignals?: boolean
  /** Destination of the notice that the process died suddenly; standard error by default. */
  readonly crashNotice?: CrashNotice
  /** Runs before anything is started. */
  readonly first?: Effect.Effect<void, never, EventBus | Log | Scope.Scope | Shutdown>
  /** Runs when callers can subscribe to the chain, before it is open. */
  readonly chainMade?: (
    chain: Chain["Service"],
    shutdown: Shutdown["Service"]
  ) => Effect.Effect<void, never, Scope.Scope>
  /** Runs when the chain is open, before any peer is connected. */
  readonly chainReady?: (
    chain: Chain["Service"],
    shutdown: Shutdown["Service"]
  ) => Effect.Effect<void, EngineFault | EngineFailure, Scope.Scope>
  /** Runs when all components have started. */
  readonly started?: Effect.Effect<void>
  /** Runs when a stop was requested, while all components still run. */
  readonly stopping?: Effect.Effect<void>
}
