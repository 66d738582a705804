import type { ModuleHealth } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import type { Invocations } from "../ipc/invocations.ts"
import type { ModuleContext } from "./module-context.ts"
import type { ModuleState } from "./module-state.ts"

type Publish = ModuleContext["publish"]

/** Records the health of a module and publishes it if it changed. */
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

/** Tracks health by calls: a module that does not answer in time is unresponsive until it answers again. */
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
      // Health that the module reported since takes precedence.
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
