import * as Effect from "effect/Effect"
import type { ModuleState } from "./module-state.ts"

/** Announces once that a module is loaded. */
export const announceLoaded = (module: ModuleState): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (module.isLoaded) return Effect.void
    module.isLoaded = true
    return module.announce
  })
