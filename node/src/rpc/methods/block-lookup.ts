import type { Block } from "@lockstep/kernel/model/block.ts"
import * as Effect from "effect/Effect"
import type { BlockFacts } from "../../engine/calls/engine-calls.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import { type RpcError, rpcError, RpcErrorCode } from "../rpc-error.ts"
import type { RpcNode } from "../rpc-node.ts"

/** A block that cannot be read has been pruned since we asked where it is, or the disk is at fault. */
const unreadable = (error: StorageError): RpcError =>
  error.reason === "missing"
    ? rpcError(RpcErrorCode.misc, "Block not available (pruned data)")
    : rpcError(RpcErrorCode.misc, `Can't read block from disk: ${error.message}`)

/** What is known of the block with this hash, or the error that clients expect. */
export const knownBlock = Effect.fnUntraced(function*(
  node: RpcNode,
  hash: Uint8Array,
  message = "Block not found"
): Effect.fn.Return<BlockFacts, RpcError> {
  const facts = yield* node.chain.call("blockFacts", { hash })
  return facts ?? (yield* Effect.fail(rpcError(RpcErrorCode.invalidAddressOrKey, message)))
})

const placeOf = ({ block, pruned }: BlockFacts): Effect.Effect<NonNullable<BlockFacts["block"]>, RpcError> =>
  block === undefined
    ? Effect.fail(rpcError(RpcErrorCode.misc, `Block not available (${pruned ? "pruned data" : "not fully downloaded"})`))
    : Effect.succeed(block)

/** A block, or why it is not here. */
export const readBlock = (node: RpcNode, facts: BlockFacts): Effect.Effect<Block, RpcError> =>
  Effect.flatMap(placeOf(facts), (place) => Effect.mapError(node.blocks.block(place, facts.hash), unreadable))

/** The bytes of a block, or why it is not here. */
export const readBlockBytes = (node: RpcNode, facts: BlockFacts): Effect.Effect<Uint8Array, RpcError> =>
  Effect.flatMap(placeOf(facts), (place) => Effect.mapError(node.blocks.bytes(place, facts.hash), unreadable))
