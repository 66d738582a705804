import * as Effect from "effect/Effect"
import type { NetworkCalls } from "../api/network-calls.ts"
import type { EngineRefusal } from "../api/engine-calls.ts"
import type { ChainEngine } from "../chain-engine.ts"
import { blockPlace } from "../header-index/block-place.ts"
import { refusal, RefusalCode } from "../refusal.ts"
import type { Writer } from "../chainstate/writer.ts"
import { makeIntake } from "./intake.ts"

type NetworkHandlers = {
  readonly [N in keyof NetworkCalls]: (
    input: NetworkCalls[N]["in"]
  ) => Effect.Effect<NetworkCalls[N]["out"], EngineRefusal>
}

const noPool = Effect.fail(refusal(RefusalCode.MISC, "The pool of transactions is not part of this engine"))

/** Answers to the network layer. */
export const networkHandlers = (engine: ChainEngine, writer: Writer): NetworkHandlers => ({
  ...makeIntake(engine, writer),
  blockPlaces: ({ indexes }) =>
    Effect.sync(() =>
      Array.from(indexes, (index) => {
        const node = engine.tree.nodes[index]
        return node && blockPlace(engine.tree, node)
      })
    ),
  followTree: ({ from }) => Effect.sync(() => engine.feed.slice(from)),
  acceptTransaction: () => noPool,
  testTransaction: () => noPool,
  followPool: () => Effect.succeed([]),
  poolIds: () => Effect.succeed([])
})
