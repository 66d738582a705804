import * as Effect from "effect/Effect"
import type { ModuleContext } from "./module-context.ts"

/** Publishes that a module is loaded, unless that has been done. */
export const announceLoaded = (
  { module, publish }: Pick<ModuleContext, "module" | "publish">
): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (module.isLoaded) return Effect.void
    module.isLoaded = true
    return publish("ModuleLoaded", { module_name: module.name, version: module.version })
  })
