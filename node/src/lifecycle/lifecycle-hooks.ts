import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Chain, EngineFailure } from "../engine-client/chain.ts"
import type { EngineFault } from "../engine/api/engine-error.ts"
import type { EventBus } from "../events/event-bus.ts"
import type { Log } from "../log/log-layer.ts"
import type { Shutdown } from "../runtime/shutdown.ts"
import type { CrashNotice } from "./crash-witness.ts"

/** What a program does beside the node that it runs, each at its time. */
export interface LifecycleHooks {
  /** The log; none: the one that is configured. */
  readonly log?: Layer.Layer<Log>
  /** Whether a node that stops takes no further signal: else one that comes after a while ends it at once. */
  readonly ignoresSignals?: boolean
  /** Where it is said that the process ended without a word; none: on standard error. */
  readonly crashNotice?: CrashNotice
  /** Before anything is started. */
  readonly first?: Effect.Effect<void, never, EventBus | Log | Scope.Scope | Shutdown>
  /** There is a chain to subscribe to; it is not open yet. */
  readonly chainMade?: (
    chain: Chain["Service"],
    shutdown: Shutdown["Service"]
  ) => Effect.Effect<void, never, Scope.Scope>
  /** The chain is open, and no other node is connected. */
  readonly chainReady?: (
    chain: Chain["Service"],
    shutdown: Shutdown["Service"]
  ) => Effect.Effect<void, EngineFault | EngineFailure, Scope.Scope>
  /** All runs. */
  readonly started?: Effect.Effect<void>
  /** A stop was asked for, and all still runs. */
  readonly stopping?: Effect.Effect<void>
}
