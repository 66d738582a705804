import { tableSeed } from "@lockstep/kernel/connect"
import { type BlockUndo, disconnectBlock } from "@lockstep/kernel/utxo"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { CoinCache } from "../../coins/coin-cache.ts"
import { StorageError } from "../../storage/storage-error.ts"
import { periodicYield } from "../options/yield-to-event-loop.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { commit, isMemoryFull } from "../chainstate/commit.ts"
import { notifyDisconnected } from "./connect-events.ts"
import type { ScriptPoolFailure } from "../script-pool/script-pool.ts"
import { displayHash } from "../../hex.ts"
import { setTip } from "../header-index/active-chain.ts"
import { undoPlace } from "../header-index/block-place.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"
import type { IdentifiedBlock } from "../state/identified-block.ts"
import { loadBlock } from "./load-block.ts"
import { prevoutsToDisconnect } from "./block-prevouts.ts"

const damagedUndo = (node: HeaderIndexNode, reason: "missing" | "corrupt"): StorageError =>
  new StorageError({
    part: "undo-files",
    operation: "read undo data",
    reason,
    message: `the undo data of block ${displayHash(node.hash)} at height ${node.height} ${
      reason === "missing" ? "are not on disk" : "are damaged"
    }: the chain cannot go back behind this block; start again with an empty data directory`
  })

/** Loads the undo data of `node`. */
export const loadUndo = Effect.fnUntraced(
  function*(engine: ChainEngine, node: HeaderIndexNode): Effect.fn.Return<BlockUndo, StorageError> {
    const { files, tree, undoCodec } = engine
    const place = undoPlace(tree, node)
    if (place === undefined) return yield* damagedUndo(node, "missing")
    const undo = undoCodec.decode(yield* files.readUndo(place, node.parent!.hash))
    return undo ?? (yield* damagedUndo(node, "corrupt"))
  }
)

/** Reverts the changes of a block in a set of coins that is at this block. Returns the block and its undo data. */
export const revertCoins = Effect.fnUntraced(
  function*(
    engine: ChainEngine,
    node: HeaderIndexNode,
    coins: CoinCache
  ): Effect.fn.Return<{ readonly found: IdentifiedBlock; readonly undo: BlockUndo }, StorageError> {
    const found = yield* loadBlock(engine, node)
    const { hash, transactionIds } = found.identity
    const undo = yield* loadUndo(engine, node)
    yield* coins.prefetchCoins(prevoutsToDisconnect(found, undo))
    const verdict = disconnectBlock(found.block, transactionIds, node.height, undo, coins, tableSeed(hash))
    if (Result.isFailure(verdict)) return yield* damagedUndo(node, "corrupt")
    coins.apply(verdict.success)
    return { found, undo }
  }
)

/** Disconnects the tip: the coins are then exactly those before it. */
const disconnectTip = Effect.fnUntraced(function*(engine: ChainEngine): Effect.fn.Return<void, StorageError> {
  const { coins, tree } = engine
  const node = tree.tip
  const { found, undo } = yield* revertCoins(engine, node, coins)
  const { transactionIds } = found.identity
  engine.crashPoint("coins-reverted")
  setTip(tree, node.parent!)
  engine.dirty = true
  for (const hook of engine.hooks) hook.disconnected?.({ node, block: found.block, transactionIds, undo })
  notifyDisconnected(engine, node)
})

/** Lets the hooks handle the transactions of disconnected blocks. */
export const settleReorganization = Effect.fnUntraced(function*(
  { hooks }: ChainEngine,
  comesBack: boolean
): Effect.fn.Return<void, StorageError | ScriptPoolFailure> {
  for (const { reorganized } of hooks) if (reorganized !== undefined) yield* reorganized(comesBack)
})

/** Disconnects blocks while `isAbove` is true for the tip. A long rollback is committed in steps. */
export const disconnectWhile = Effect.fnUntraced(function*(
  engine: ChainEngine,
  isAbove: (tip: HeaderIndexNode) => boolean
): Effect.fn.Return<void, StorageError> {
  const rest = periodicYield()
  while (isAbove(engine.tree.tip)) {
    yield* disconnectTip(engine)
    if (isMemoryFull(engine)) yield* commit(engine)
    yield* rest
  }
})
