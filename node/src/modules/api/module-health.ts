import type { ModuleHealth } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import type { Invocations } from "../ipc/invocations.ts"
import type { ModuleContext } from "./module-context.ts"
import type { ModuleState } from "./module-state.ts"

type Publish = ModuleContext["publish"]

/** Notes the health of a module; publishes it where it is another. */
export const changeHealth = (
  module: Pick<ModuleState, "name" | "health">,
  publish: Publish,
  health: ModuleHealth
): Effect.Effect<void> => {
  const [old_status, new_status] = [module.health._tag, health._tag]
  module.health = health
  return old_status === new_status
    ? Effect.void
    : publish("ModuleHealthChanged", { module_name: module.name, old_status, new_status })
}

/** Calls of a module that say something of its health: one that does not answer in time is unresponsive until it answers again. */
export const watchedCalls = (
  module: () => Pick<ModuleState, "name" | "health">,
  publish: Publish,
  invoke: Invocations["invoke"]
): Invocations["invoke"] => {
  let isSilent = false
  const noted = (isNowSilent: boolean): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (isSilent === isNowSilent) return Effect.void
      isSilent = isNowSilent
      // What it says of itself since then counts for more.
      const { health } = module()
      if (isSilent ? health._tag !== "Healthy" : health._tag !== "Unresponsive") return Effect.void
      return changeHealth(module(), publish, { _tag: isSilent ? "Unresponsive" : "Healthy" })
    })
  return (invocation) =>
    invoke(invocation).pipe(
      Effect.tap(() => noted(false)),
      Effect.tapError(({ kind }) => kind === "ConnectionError" ? Effect.void : noted(kind === "Timeout"))
    )
}
