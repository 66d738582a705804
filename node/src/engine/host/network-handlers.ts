import * as Effect from "effect/Effect"
import type { CompactBlockCalls } from "../api/compact-block-calls.ts"
import type { NetworkCalls } from "../api/network-calls.ts"
import type { Handlers } from "../api/handler.ts"
import type { Background } from "../chainstate/background.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { compactBlockHandlers } from "./compact-block-handlers.ts"
import { blockPlace } from "../header-index/block-place.ts"
import type { Writer } from "../chainstate/writer.ts"
import type { TxMempool } from "../txmempool/contract.ts"
import { makeIntake } from "../intake/intake.ts"

/**
 * Handlers for the network layer. Compact blocks are reconstructed from `mempool`; without it, only from their own
 * transactions.
 */
export const networkHandlers = (
  engine: ChainEngine,
  writer: Writer,
  background: Background,
  mempool: TxMempool | undefined
): Handlers<keyof NetworkCalls | keyof CompactBlockCalls> => {
  const intake = makeIntake(engine, writer, background)
  return {
    ...intake,
    ...compactBlockHandlers(engine, mempool, intake.acceptBlock),
    blockPlaces: ({ indexes }) =>
      Effect.sync(() =>
        Array.from(indexes, (index) => {
          const node = engine.tree.nodes[index]
          return node && blockPlace(engine.tree, node)
        })
      ),
    followTree: ({ from }) => Effect.sync(() => engine.feed.slice(from))
  }
}
