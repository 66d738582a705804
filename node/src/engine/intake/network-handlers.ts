import * as Effect from "effect/Effect"
import type { NetworkCalls } from "../api/network-calls.ts"
import type { Handlers } from "../api/handler.ts"
import type { Background } from "../background.ts"
import type { ChainEngine } from "../chain-engine.ts"
import { blockPlace } from "../header-index/block-place.ts"
import type { Writer } from "../chainstate/writer.ts"
import { makeIntake } from "./intake.ts"

/** Answers to the network layer. */
export const networkHandlers = (
  engine: ChainEngine,
  writer: Writer,
  background: Background
): Handlers<keyof NetworkCalls> => ({
  ...makeIntake(engine, writer, background),
  blockPlaces: ({ indexes }) =>
    Effect.sync(() =>
      Array.from(indexes, (index) => {
        const node = engine.tree.nodes[index]
        return node && blockPlace(engine.tree, node)
      })
    ),
  followTree: ({ from }) => Effect.sync(() => engine.feed.slice(from))
})
