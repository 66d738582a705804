import type * as Effect from "effect/Effect"
import type { EngineCallName, EngineCalls } from "./engine-calls.ts"

/** Handles one call. */
export type Handler<N extends EngineCallName> = (
  input: EngineCalls[N]["in"]
) => Effect.Effect<EngineCalls[N]["out"], EngineCalls[N]["fails"]>

/** Handlers of these calls, one for each. */
export type Handlers<N extends EngineCallName = EngineCallName> = { readonly [K in N]: Handler<K> }
