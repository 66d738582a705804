import * as Effect from "effect/Effect"
import type { BlockFacts } from "../engine/api/chain-calls.ts"
import type { BlockFilter, IndexState } from "../engine/api/index-calls.ts"
import { type CallError, callError } from "./call-error.ts"
import { indexState } from "./index-state.ts"
import type { QueryNode } from "./query-node.ts"

/** Returns the state of the index of filters of a kind. */
export const filterIndexState = Effect.fnUntraced(
  function*(kind: string, node: QueryNode): Effect.fn.Return<IndexState, CallError> {
    if (kind !== "basic") return yield* Effect.fail(callError("InvalidAddressOrKey", "Unknown filtertype"))
    const index = yield* indexState(node, "basic block filter index")
    return index ?? (yield* Effect.fail(callError("Misc", `Index is not enabled for filtertype ${kind}`)))
  }
)

/** Returns the error for a block that the index does not contain. */
export const filterMissing = ({ synced }: Pick<IndexState, "synced">): CallError =>
  synced
    ? callError("FilterMissing", "Filter not found. This error is unexpected and indicates index corruption.")
    : callError("FilterNotIndexed", "Filter not found. Block filters are still in the process of being indexed.")

/** Returns the filter of a block, with its header. */
export const filterOf = Effect.fnUntraced(
  function*(
    { chain }: QueryNode,
    { confirmations, hash, height, undo }: BlockFacts,
    index: IndexState
  ): Effect.fn.Return<BlockFilter, CallError> {
    const found = yield* chain.call("blockFilters", { from: height, stop: hash, most: 1 })
    return found?.[0] ?? (yield* Effect.fail(
      confirmations < 0 && undo === undefined
        ? callError("BlockNeverConnected", "Filter not found. Block was not connected to active chain.")
        : filterMissing(index)
    ))
  }
)
