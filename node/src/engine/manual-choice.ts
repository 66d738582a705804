import * as Effect from "effect/Effect"
import { activateBestChain, tellReorganisation } from "./activate.ts"
import type { EngineRefusal } from "./calls/engine-calls.ts"
import type { ChainEngine } from "./chain-engine.ts"
import type { ConnectError } from "./connect.ts"
import { disconnectWhile } from "./disconnect.ts"
import { displayHash } from "./display-hash.ts"
import { isActive } from "./header-tree/active-chain.ts"
import { blockPlace, undoPlace } from "./header-tree/block-place.ts"
import { findCandidates } from "./header-tree/candidates.ts"
import { isInvalid, isLinked } from "./header-tree/header-tree.ts"
import { markInvalid, unmarkInvalid } from "./header-tree/mark-invalid.ts"
import type { TreeNode } from "./header-tree/tree-node.ts"
import { refusal, RefusalCode } from "./refusal.ts"

/** The highest block from the tip down to `node` that cannot be taken off, since what it takes is pruned. */
const firstPruned = ({ tree }: ChainEngine, node: TreeNode): TreeNode | undefined => {
  for (let at = tree.tip; at.height >= node.height; at = at.parent!) {
    if (blockPlace(tree, at) === undefined || undoPlace(tree, at) === undefined) return at
    if (at === node) break
  }
  return undefined
}

/** `invalidateblock`: a block, and everything on top of it, counts as invalid until somebody reconsiders. */
export const invalidateBlock = Effect.fnUntraced(function*(engine: ChainEngine, node: TreeNode): Effect.fn.Return<void, ConnectError | EngineRefusal> {
  const { tree } = engine
  // Without a genesis block there is no chain.
  if (node.parent === undefined) return
  const pruned = isActive(tree, node) ? firstPruned(engine, node) : undefined
  if (pruned !== undefined) {
    const message = `Block ${displayHash(pruned.hash)} at height ${pruned.height} is pruned: the chain cannot go back behind it`
    return yield* Effect.fail(refusal(RefusalCode.MISC, message))
  }
  const before = tree.tip
  yield* disconnectWhile(engine, () => isActive(tree, node))
  markInvalid(tree, node)
  findCandidates(tree)
  const after = tree.tip
  yield* activateBestChain(engine)
  if (after !== before) tellReorganisation(engine, before)
})

/** `reconsiderblock`: takes the mark off a block, its ancestors and everything on top of it. */
export const reconsiderBlock = Effect.fnUntraced(function*(engine: ChainEngine, node: TreeNode): Effect.fn.Return<void, ConnectError> {
  unmarkInvalid(engine.tree, node)
  findCandidates(engine.tree)
  yield* activateBestChain(engine)
})

/** `preciousblock`: among chains of equal work, this one is to be taken for the one that was seen first. */
export const preciousBlock = Effect.fnUntraced(function*(engine: ChainEngine, node: TreeNode): Effect.fn.Return<void, ConnectError> {
  const { tree } = engine
  const { chainWork } = tree.tip
  if (node.chainWork < chainWork) return
  if (chainWork > tree.preciousWork) tree.nextPrecious = -1
  tree.preciousWork = chainWork
  tree.columns.sequence[node.index] = tree.nextPrecious--
  if (isLinked(tree, node) && !isInvalid(tree, node)) tree.candidates.add(node)
  yield* activateBestChain(engine)
})
