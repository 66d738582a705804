import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import type { NetworkService } from "./network.ts"

/** The network layer once it runs. Servers that use it start earlier. */
export class RunningNetwork extends Context.Service<RunningNetwork, {
  readonly current: () => NetworkService | undefined
  readonly set: (network: NetworkService | undefined) => Effect.Effect<void>
}>()("@node/p2p/RunningNetwork") {
  static readonly layer: Layer.Layer<RunningNetwork> = Layer.effect(
    RunningNetwork,
    Effect.map(
      Ref.make<NetworkService | undefined>(undefined),
      (ref) => RunningNetwork.of({ current: () => Ref.getUnsafe(ref), set: (network) => Ref.set(ref, network) })
    )
  )
}
