import type { BlockUndo } from "@lockstep/kernel/utxo"
import * as Effect from "effect/Effect"
import type { BlockFacts } from "../engine/api/chain-calls.ts"
import { type CallError, callError } from "./call-error.ts"
import type { QueryNode } from "./query-node.ts"

const UNREADABLE =
  "Undo data expected but can't be read. This could be due to disk corruption or a conflict with a pruning event."

/** Reads the undo data of a block; `undefined` if the block was never connected or its undo data is pruned. */
export const undoOf = (
  { header, undo }: BlockFacts,
  node: QueryNode
): Effect.Effect<BlockUndo | undefined, CallError> =>
  undo === undefined
    ? Effect.succeed(undefined)
    : Effect.mapError(
      node.blocks.undo(undo, header.subarray(4, 36)),
      ({ message, reason }) => callError("Internal", reason === "missing" ? UNREADABLE : `${UNREADABLE} ${message}`)
    )
