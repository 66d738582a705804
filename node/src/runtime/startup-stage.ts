import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** The present stage of the start, which is the answer to calls that come too early; `undefined` once the node runs. */
export class StartupStage extends Context.Service<StartupStage, {
  readonly current: () => string | undefined
  readonly set: (stage: string | undefined) => Effect.Effect<void>
}>()("@node/lifecycle/StartupStage") {
  static readonly layer: Layer.Layer<StartupStage> = Layer.sync(StartupStage, () => {
    let current: string | undefined = "Starting…"
    return StartupStage.of({
      current: () => current,
      set: (stage) => Effect.sync(() => void (current = stage))
    })
  })
}
