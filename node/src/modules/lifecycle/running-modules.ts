import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import type { Modules } from "./modules.ts"

/** Access to the modules once they may run. The servers that use them start earlier. */
export class RunningModules extends Context.Service<RunningModules, {
  readonly current: () => Modules | undefined
  readonly set: (modules: Modules | undefined) => Effect.Effect<void>
}>()("@node/modules/RunningModules") {
  static readonly layer: Layer.Layer<RunningModules> = Layer.effect(
    RunningModules,
    Effect.map(
      Ref.make<Modules | undefined>(undefined),
      (ref) => RunningModules.of({ current: () => Ref.getUnsafe(ref), set: (modules) => Ref.set(ref, modules) })
    )
  )
}
