import type * as Effect from "effect/Effect"
import type { EngineCallName, EngineCalls, EngineRefusal } from "./engine-calls.ts"

/** How a call is answered. */
export type Handler<N extends EngineCallName> = (
  input: EngineCalls[N]["in"]
) => Effect.Effect<EngineCalls[N]["out"], EngineRefusal>

export type Handlers = { readonly [N in EngineCallName]: Handler<N> }
