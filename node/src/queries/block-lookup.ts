import type { Block } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import type { BlockFacts } from "../engine/api/chain-calls.ts"
import type { FilePosition } from "../storage/block-files/block-files.ts"
import type { StorageError } from "../storage/storage-error.ts"
import { type RpcError, rpcError, RpcErrorCode } from "./rpc-error.ts"
import type { QueryNode } from "./query-node.ts"

const PRUNED = rpcError(RpcErrorCode.misc, "Block not available (pruned data)")
const NOT_FOUND = rpcError(RpcErrorCode.misc, "Block not found on disk")

/** What is known of the block with this hash, or the error that clients expect. */
export const knownBlock = Effect.fnUntraced(function*(
  node: QueryNode,
  hash: Uint8Array,
  message = "Block not found"
): Effect.fn.Return<BlockFacts, RpcError> {
  const facts = yield* node.chain.call("blockFacts", { hash })
  return facts ?? (yield* Effect.fail(rpcError(RpcErrorCode.invalidAddressOrKey, message)))
})

/** What the engine says of a block whose file is gone: pruning may have removed it since the block was found. */
const missing = Effect.fnUntraced(
  function*({ chain }: QueryNode, { hash }: BlockFacts): Effect.fn.Return<never, RpcError> {
    const facts = yield* chain.call("blockFacts", { hash })
    return yield* Effect.fail(facts?.pruned === true ? PRUNED : NOT_FOUND)
  }
)

/** What `read` finds at the place of a block, or why there is nothing. */
const readAt = Effect.fnUntraced(function*<A>(
  node: QueryNode,
  facts: BlockFacts,
  read: (place: FilePosition, hash: Uint8Array) => Effect.Effect<A, StorageError>
): Effect.fn.Return<A, RpcError> {
  const { block, hash, pruned } = facts
  if (block === undefined) {
    return yield* Effect.fail(
      pruned ? PRUNED : rpcError(RpcErrorCode.misc, "Block not available (not fully downloaded)")
    )
  }
  return yield* Effect.catch(read(block, hash), ({ message, reason }) =>
    reason === "missing"
      ? missing(node, facts)
      : Effect.fail(rpcError(RpcErrorCode.misc, `Can't read block from disk: ${message}`)))
})

/** A block, or why it is not here. */
export const readBlock = (node: QueryNode, facts: BlockFacts): Effect.Effect<Block, RpcError> =>
  readAt(node, facts, node.blocks.block)

/** The bytes of a block, or why it is not here. */
export const readBlockBytes = (node: QueryNode, facts: BlockFacts): Effect.Effect<Uint8Array, RpcError> =>
  readAt(node, facts, node.blocks.bytes)
