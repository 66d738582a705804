import * as Effect from "effect/Effect"
import { activateBestChain, tellReorganisation } from "./activate.ts"
import type { ChainEngine } from "./chain-engine.ts"
import type { ConnectError } from "./connect.ts"
import { disconnectWhile } from "./disconnect.ts"
import { isActive } from "./header-tree/active-chain.ts"
import { findCandidates } from "./header-tree/candidates.ts"
import { isInvalid, isLinked } from "./header-tree/header-tree.ts"
import { markInvalid, unmarkInvalid } from "./header-tree/mark-invalid.ts"
import type { TreeNode } from "./header-tree/tree-node.ts"

/** `invalidateblock`: a block, and everything on top of it, counts as invalid until somebody reconsiders. */
export const invalidateBlock = Effect.fnUntraced(function*(engine: ChainEngine, node: TreeNode): Effect.fn.Return<void, ConnectError> {
  const { tree } = engine
  // Without a genesis block there is no chain.
  if (node.parent === undefined) return
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
