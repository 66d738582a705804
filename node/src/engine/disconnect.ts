import { tableSeed } from "@lockstep/kernel/connect/collect.ts"
import { type BlockUndo, disconnectBlock } from "@lockstep/kernel/utxo/undo.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { StorageError } from "../storage/storage-error.ts"
import { breather } from "./breathe.ts"
import type { ChainEngine } from "./chain-engine.ts"
import { commit, isMemoryFull } from "./commit.ts"
import { crashPoint } from "./crash-point.ts"
import { tellDisconnected } from "./connect-events.ts"
import { displayHash } from "./display-hash.ts"
import { setTip } from "./header-tree/active-chain.ts"
import { undoPlace } from "./header-tree/block-place.ts"
import type { TreeNode } from "./header-tree/tree-node.ts"
import { loadBlock } from "./load-block.ts"
import { neededToDisconnect } from "./needed-coins.ts"

const damagedUndo = (node: TreeNode, reason: "missing" | "corrupt"): StorageError =>
  new StorageError({
    part: "undo-files",
    operation: "read undo data",
    reason,
    message: `the undo data of block ${displayHash(node.hash)} at height ${node.height} ${
      reason === "missing" ? "are not on disk" : "are damaged"
    }: the chain cannot go back behind this block; start again with an empty data directory`
  })

/** What it takes to disconnect the block of `node`. */
export const loadUndo = Effect.fnUntraced(function*(engine: ChainEngine, node: TreeNode): Effect.fn.Return<BlockUndo, StorageError> {
  const { files, tree, undoCodec } = engine
  const place = undoPlace(tree, node)
  if (place === undefined) return yield* damagedUndo(node, "missing")
  const undo = undoCodec.decode(yield* files.readUndo(place, node.parent!.hash))
  return undo ?? (yield* damagedUndo(node, "corrupt"))
})

/** Takes the tip off the chain: the coins are then exactly those before it. */
const disconnectTip = Effect.fnUntraced(function*(engine: ChainEngine): Effect.fn.Return<void, StorageError> {
  const { coins, tree } = engine
  const node = tree.tip
  const found = yield* loadBlock(engine, node)
  const { hash, transactionIds } = found.identity
  const undo = yield* loadUndo(engine, node)
  yield* coins.gather(neededToDisconnect(found, undo))
  const verdict = disconnectBlock(found.block, transactionIds, node.height, undo, coins, tableSeed(hash))
  if (Result.isFailure(verdict)) return yield* damagedUndo(node, "corrupt")
  coins.apply(verdict.success)
  crashPoint("coins-reverted")
  crashPoint("coins-reverted")
  setTip(tree, node.parent!)
  engine.dirty = true
  for (const hook of engine.hooks) hook.disconnected?.({ node, block: found.block, transactionIds, undo })
  tellDisconnected(engine, node)
})

/** Takes blocks off the chain while `isAbove` says so of the tip. A long way down is committed piece by piece. */
export const disconnectWhile = Effect.fnUntraced(function*(
  engine: ChainEngine,
  isAbove: (tip: TreeNode) => boolean
): Effect.fn.Return<void, StorageError> {
  const rest = breather()
  while (isAbove(engine.tree.tip)) {
    yield* disconnectTip(engine)
    if (isMemoryFull(engine)) yield* commit(engine)
    yield* rest
  }
})
