import * as Effect from "effect/Effect"
import { activateBestChain, notifyReorganization } from "./activate-best-chain.ts"
import type { QueryError } from "../api/engine-error.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import type { ConnectError } from "../chainstate/connect-error.ts"
import { disconnectWhile, settleReorganization } from "./disconnect.ts"
import { isActive } from "../header-index/active-chain.ts"
import { blockPlace, undoPlace } from "../header-index/block-place.ts"
import { findCandidates } from "../header-index/candidates.ts"
import { isInvalid, isLinked } from "../header-index/header-index.ts"
import { markChosenInvalid, unmarkInvalid } from "../header-index/mark-invalid.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"

/** Returns the highest block from the tip down to `node` that cannot be disconnected because its undo data are pruned. */
const firstPruned = ({ tree }: ChainEngine, node: HeaderIndexNode): HeaderIndexNode | undefined => {
  for (let at = tree.tip; at.height >= node.height; at = at.parent!) {
    if (blockPlace(tree, at) === undefined || undoPlace(tree, at) === undefined) return at
    if (at === node) break
  }
  return undefined
}

/** Number of manually disconnected blocks, from the newest, whose transactions return to the mempool. */
const BLOCKS_THAT_COME_BACK = 10

/** Disconnects the blocks from the tip down to `node`; the mempool follows each. */
const disconnectOneByOne = Effect.fnUntraced(function*(
  engine: ChainEngine,
  node: HeaderIndexNode
): Effect.fn.Return<void, ConnectError> {
  const { tree } = engine
  for (let count = 1; isActive(tree, node); count++) {
    const { tip } = tree
    yield* disconnectWhile(engine, (at) => at === tip)
    yield* settleReorganization(engine, count <= BLOCKS_THAT_COME_BACK)
  }
})

/** `invalidateblock`: marks a block and its descendants as invalid until `reconsiderblock`. */
export const invalidateBlock = Effect.fnUntraced(
  function*(
    engine: ChainEngine,
    node: HeaderIndexNode
  ): Effect.fn.Return<void, ConnectError | QueryError<"BlockPruned" | "SnapshotNotConfirmed">> {
    const { tree } = engine
    // Without a genesis block there would be no chain.
    if (node.parent === undefined) return
    const { assumed } = tree
    if (assumed !== undefined && node.height <= assumed.height && isActive(tree, node)) {
      return yield* Effect.fail({ _tag: "SnapshotNotConfirmed", height: assumed.height } as const)
    }
    const pruned = isActive(tree, node) ? firstPruned(engine, node) : undefined
    if (pruned !== undefined) {
      return yield* Effect.fail(
        { _tag: "BlockPruned", hash: pruned.hash.slice(), height: pruned.height } as const
      )
    }
    const before = tree.tip
    yield* disconnectOneByOne(engine, node)
    markChosenInvalid(tree, node)
    findCandidates(tree)
    const after = tree.tip
    yield* activateBestChain(engine)
    if (after !== before) notifyReorganization(engine, before)
  }
)

/** `reconsiderblock`: removes the mark from a block, its ancestors and its descendants. */
export const reconsiderBlock = Effect.fnUntraced(
  function*(engine: ChainEngine, node: HeaderIndexNode): Effect.fn.Return<void, ConnectError> {
    unmarkInvalid(engine.tree, node)
    findCandidates(engine.tree)
    yield* activateBestChain(engine)
  }
)

/** `preciousblock`: among chains of equal work, makes this one count as the one that was seen first. */
export const preciousBlock = Effect.fnUntraced(
  function*(engine: ChainEngine, node: HeaderIndexNode): Effect.fn.Return<void, ConnectError> {
    const { tree } = engine
    const { chainWork } = tree.tip
    if (node.chainWork < chainWork) return
    if (chainWork > tree.preciousWork) tree.nextPrecious = -1
    tree.preciousWork = chainWork
    tree.columns.sequence[node.index] = tree.nextPrecious--
    if (isLinked(tree, node) && !isInvalid(tree, node)) tree.candidates.add(node)
    yield* activateBestChain(engine)
  }
)
