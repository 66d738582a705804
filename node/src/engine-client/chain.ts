import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { ChainState } from "../engine/api/chain-state.ts"
import type { EngineFault } from "../engine/api/engine-error.ts"
import { engineFaultText } from "../engine/api/fault-text.ts"
import type { EngineCallName, EngineCalls } from "../engine/api/engine-calls.ts"
import type { EngineNotification } from "../engine/api/engine-notification.ts"

/** The engine is gone, or could not start: our side's fault. `message` says what to do. */
export class EngineFailure extends Schema.TaggedError<EngineFailure>()("EngineFailure", {
  message: Schema.String
}) {}

/** Why something could not be done, be it for a fault of the engine, in a sentence. */
export const failureText = (failure: EngineFault | { readonly message: string }): string =>
  "message" in failure ? failure.message : engineFaultText(failure)

/**
 * The chain as the main thread sees it: calls to the engine, which owns all of it, and its notifications. Everything
 * outside the engine reaches consensus only through here.
 */
export class Chain extends Context.Service<Chain, {
  /** Waits until the engine has started; fails when it cannot. Calls made before that wait as well. */
  readonly ready: Effect.Effect<void, EngineFailure>
  readonly call: <N extends EngineCallName>(
    name: N,
    params: EngineCalls[N]["in"]
  ) => Effect.Effect<EngineCalls[N]["out"], EngineCalls[N]["fails"] | EngineFailure>
  /** The newest state; none before the engine has started. Never older than any answer that was given. */
  readonly state: () => ChainState | undefined
  /** Every new state from now on, the present one first. */
  readonly states: Stream.Stream<ChainState>
  /**
   * Subscribes to all notifications of the engine. The listener gets them at once and in order, before any answer that
   * is given later. It must be quick and must not fail. Answers how to unsubscribe.
   */
  readonly subscribe: (listener: (notification: EngineNotification) => void) => () => void
}>()("@node/chain/Chain") {}
