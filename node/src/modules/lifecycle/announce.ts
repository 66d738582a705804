import * as Effect from "effect/Effect"
import { EventBus } from "../../events/event-bus.ts"
import type { VerifiedModule } from "../registry/discover.ts"
import type { ModuleAction } from "./module-state.ts"

type Announcement =
  | Extract<ModuleAction, { readonly _tag: `Announce${string}` }>
  /** The process has completed the handshake, or has ended. */
  | { readonly _tag: "AnnounceStarted" }
  | { readonly _tag: "AnnounceStopped" }
  /** The state has changed; both states are one word each. */
  | { readonly _tag: "AnnounceState"; readonly before: string; readonly after: string }
  /** The connection was lost, and then restored, while the process continues in this state. */
  | { readonly _tag: "AnnounceCutOff"; readonly state: string; readonly reason: string }
  | { readonly _tag: "AnnounceBack"; readonly state: string }

/** State word of a module that has lost its connection. */
export const CUT_OFF = "reconnecting"

/** Publishes a change of a module and logs it. */
export type AnnounceModule = (module: VerifiedModule, announcement: Announcement) => Effect.Effect<void>

/** Announces to the node's event bus. */
export const announceModule: Effect.Effect<AnnounceModule, never, EventBus> = Effect.gen(function*() {
  const bus = yield* EventBus
  return ({ manifest: { name, versionText } }, announcement) => {
    const about = Effect.annotateLogs({ category: "modules", module: name, version: versionText })
    const identity = { module_name: name, version: versionText }
    const changed = (old_state: string, new_state: string) =>
      bus.publish("ModuleStateChanged", { module_name: name, old_state, new_state })
    switch (announcement._tag) {
      case "AnnounceLoaded":
        return Effect.andThen(Effect.logInfo("module loaded").pipe(about), bus.publish("ModuleLoaded", identity))
      case "AnnounceUnloaded":
        return Effect.andThen(Effect.logInfo("module unloaded").pipe(about), bus.publish("ModuleUnloaded", identity))
      case "AnnounceCrashed":
        return Effect.andThen(
          Effect.logWarning("module crashed").pipe(Effect.annotateLogs({ error: announcement.error }), about),
          bus.publish("ModuleCrashed", { module_name: name, error: announcement.error })
        )
      case "AnnounceStarted":
        return bus.publish("ModuleStarted", { module_name: name })
      case "AnnounceStopped":
        return bus.publish("ModuleStopped", { module_name: name })
      case "AnnounceState":
        return changed(announcement.before, announcement.after)
      case "AnnounceCutOff":
        return Effect.andThen(
          Effect.logWarning("module lost its connection").pipe(
            Effect.annotateLogs({ reason: announcement.reason }),
            about
          ),
          changed(announcement.state, CUT_OFF)
        )
      case "AnnounceBack":
        return Effect.andThen(
          Effect.logInfo("module connected again").pipe(about),
          changed(CUT_OFF, announcement.state)
        )
      case "AnnounceHealth":
        return bus.publish("ModuleHealthChanged", {
          module_name: name,
          old_status: announcement.before,
          new_status: announcement.after
        })
    }
  }
})
