import * as Effect from "effect/Effect"
import type { IndexState } from "../engine/api/index-calls.ts"
import { type RpcError, rpcError, RpcErrorCode } from "./rpc-error.ts"
import type { QueryNode } from "./query-node.ts"

const NAME = "basic block filter index"

/** While the index has not come to a block. */
export const STILL_INDEXING = "Filter not found. Block filters are still in the process of being indexed."

/** The state of the index of filters of a kind, or why there is none. */
export const filterIndexState = Effect.fnUntraced(
  function*(kind: string, node: QueryNode): Effect.fn.Return<IndexState, RpcError> {
    if (kind !== "basic") return yield* Effect.fail(rpcError(RpcErrorCode.invalidAddressOrKey, "Unknown filtertype"))
    const indexes = yield* node.chain.call("indexes", undefined)
    const index = indexes.find(({ name }) => name === NAME)
    return index ?? (yield* Effect.fail(rpcError(RpcErrorCode.misc, `Index is not enabled for filtertype ${kind}`)))
  }
)
