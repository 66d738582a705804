import type { Block } from "@lockstep/kernel/model"
import type { Height } from "@lockstep/kernel/quantities"
import * as Effect from "effect/Effect"
import type { BlockFacts } from "../engine/api/chain-calls.ts"
import type { FilePosition } from "../storage/block-files/block-files.ts"
import type { StorageError } from "../storage/storage-error.ts"
import { type CallError, callError } from "./call-error.ts"
import type { QueryNode } from "./query-node.ts"

const PRUNED = callError("BlockNotAvailable", "Block not available (pruned data)")
const NOT_FOUND = callError("BlockUnreadable", "Block not found on disk")

/** Returns the hash of the block at a height of the active chain. */
export const hashAtHeight = Effect.fnUntraced(
  function*({ chain }: QueryNode, height: Height): Effect.fn.Return<Uint8Array, CallError> {
    const hash = height < 0 || height > chain.state().height ? undefined : yield* chain.call("hashAt", { height })
    return hash ?? (yield* Effect.fail(callError("HeightNotInActiveChain", "Block height out of range")))
  }
)

/** Returns the facts of the block with this hash. Fails with Bitcoin Core's error if it is unknown. */
export const knownBlock = Effect.fnUntraced(function*(
  node: QueryNode,
  hash: Uint8Array,
  message = "Block not found"
): Effect.fn.Return<BlockFacts, CallError> {
  const facts = yield* node.chain.call("blockFacts", { hash })
  return facts ?? (yield* Effect.fail(callError("InvalidAddressOrKey", message)))
})

/** Fails with the reason why the file of a block is gone: pruning may have removed it since the block was found. */
const missing = Effect.fnUntraced(
  function*({ chain }: QueryNode, { hash }: BlockFacts): Effect.fn.Return<never, CallError> {
    const facts = yield* chain.call("blockFacts", { hash })
    return yield* Effect.fail(facts?.pruned === true ? PRUNED : NOT_FOUND)
  }
)

/** Returns what `read` yields at the file position of a block. Fails if the block is not stored. */
const readAt = Effect.fnUntraced(function*<A>(
  node: QueryNode,
  facts: BlockFacts,
  read: (place: FilePosition, hash: Uint8Array) => Effect.Effect<A, StorageError>
): Effect.fn.Return<A, CallError> {
  const { block, hash, pruned } = facts
  if (block === undefined) {
    return yield* Effect.fail(
      pruned ? PRUNED : callError("BlockNotAvailable", "Block not available (not fully downloaded)")
    )
  }
  return yield* Effect.catch(read(block, hash), ({ message, reason }) =>
    reason === "missing"
      ? missing(node, facts)
      : Effect.fail(callError("BlockUnreadable", `Can't read block from disk: ${message}`)))
})

/** Reads a block. Fails if it is not stored. */
export const readBlock = (node: QueryNode, facts: BlockFacts): Effect.Effect<Block, CallError> =>
  readAt(node, facts, node.blocks.block)

/** Reads the bytes of a block. Fails if it is not stored. */
export const readBlockBytes = (node: QueryNode, facts: BlockFacts): Effect.Effect<Uint8Array, CallError> =>
  readAt(node, facts, node.blocks.bytes)
