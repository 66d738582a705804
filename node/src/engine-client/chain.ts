import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { ChainState } from "../engine/api/chain-state.ts"
import type { EngineFault } from "../engine/api/engine-error.ts"
import { engineFaultText } from "../engine/api/fault-text.ts"
import type { EngineCallName, EngineCalls } from "../engine/api/engine-calls.ts"
import type { EngineNotification } from "../engine/api/engine-notification.ts"

/** The engine died or could not start. An error of the node, never of a block. `message` says what to do. */
export class EngineFailure extends Schema.TaggedError<EngineFailure>()("EngineFailure", {
  message: Schema.String
}) {}

/** Returns one sentence that says why a call failed, also for a fault of the engine. */
export const failureText = (failure: EngineFault | { readonly message: string }): string =>
  "message" in failure ? failure.message : engineFaultText(failure)

/**
 * The chain as the main thread sees it: calls to the engine, which owns it, and the engine's notifications. All access
 * to consensus from outside the engine goes through this service.
 */
export class Chain extends Context.Service<Chain, {
  /** Waits until the engine has started; fails if it cannot start. Calls made before that wait as well. */
  readonly ready: Effect.Effect<void, EngineFailure>
  readonly call: <N extends EngineCallName>(
    name: N,
    params: EngineCalls[N]["in"]
  ) => Effect.Effect<EngineCalls[N]["out"], EngineCalls[N]["fails"] | EngineFailure>
  /** Returns the newest state, or `undefined` before the engine has started. It is never older than any answer received. */
  readonly state: () => ChainState | undefined
  /** Streams every state from now on, beginning with the present one. */
  readonly states: Stream.Stream<ChainState>
  /**
   * Subscribes to all notifications of the engine. The listener gets them at once and in order, before any later
   * answer. It must be quick and must not fail. Returns a function that unsubscribes.
   */
  readonly subscribe: (listener: (notification: EngineNotification) => void) => () => void
}>()("@node/chain/Chain") {}
