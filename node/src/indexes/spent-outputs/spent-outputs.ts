import * as Effect from "effect/Effect"
import type { Handlers } from "../../engine/api/handler.ts"
import type { ChainEngine } from "../../engine/state/chain-engine.ts"
import { asFault } from "../../engine/chainstate/faults.ts"
import type { Writer } from "../../engine/chainstate/writer.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import { type Follower, followChain } from "../follow-chain.ts"
import { blockOfPlace } from "../transaction-index/transaction-place.ts"
import { type SpenderIndex, spenderIndex } from "./spender-index.ts"

/** The index of spent outputs, if it is enabled, and the call that it handles. */
interface SpentOutputs {
  readonly followers: ReadonlyArray<Follower>
  readonly handlers: Handlers<"outputSpenders">
}

const NOT_ENABLED: SpentOutputs = {
  followers: [],
  handlers: { outputSpenders: () => Effect.fail({ _tag: "IndexNotEnabled", index: "txospenderindex" }) }
}

/** Finds the spenders of outputs. An index that is behind fails, because an output that it lacks may be spent. */
const handlersOf = (engine: ChainEngine, index: SpenderIndex, follower: Follower): SpentOutputs["handlers"] => ({
  outputSpenders: Effect.fnUntraced(function*({ outpoints }) {
    const { bestBlockHeight, synced } = follower.state()
    if (!synced) {
      return yield* Effect.fail({ _tag: "IndexNotSynced", index: "txospenderindex", height: bestBlockHeight } as const)
    }
    return yield* Effect.forEach(
      outpoints,
      (outpoint) =>
        Effect.map(asFault(index.find(outpoint, engine.store)), (place) => {
          const block = place && blockOfPlace(engine.tree, place)
          return place && block && { block: block.hash.slice(), offset: place.offset, size: place.size }
        })
    )
  })
})

/** Opens the index if the options enable it. */
export const spentOutputs = Effect.fnUntraced(function*(
  engine: ChainEngine,
  writer: Writer
): Effect.fn.Return<SpentOutputs, StorageError> {
  if (!engine.options.spenderIndex) return NOT_ENABLED
  const index = spenderIndex()
  const follower = yield* followChain(engine, writer, index)
  return { followers: [follower], handlers: handlersOf(engine, index, follower) }
})
