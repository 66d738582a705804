import { reorganisation } from "@lockstep/kernel/chain/selection.ts"
import * as Effect from "effect/Effect"
import type { ChainEngine, Judged } from "./chain-engine.ts"
import { connectPath, type ConnectError } from "./connect.ts"
import { disconnectWhile } from "./disconnect.ts"
import { displayHash } from "./display-hash.ts"
import { bestCandidate, pruneCandidates } from "./header-tree/candidates.ts"
import type { TreeNode } from "./header-tree/tree-node.ts"
import { tellEvent, tellLog } from "./tell.ts"

/** Tells when the chain moved to another branch since `before` was its tip. */
export const tellReorganisation = (engine: ChainEngine, before: TreeNode): void => {
  const { tip } = engine.tree
  const { connect, disconnect, fork } = reorganisation(before, tip)
  if (fork === undefined || disconnect.length === 0 || connect.length === 0) return
  const move = {
    old_tip: displayHash(before.hash),
    new_tip: displayHash(tip.hash),
    fork_hash: displayHash(fork.hash),
    fork_height: fork.height,
    disconnected: disconnect.length,
    connected: connect.length
  }
  tellEvent(engine, "ChainReorg", move)
  tellLog(engine, "warn", "the chain moved to another branch", move)
}

const NOBODY: Judged = () => {}

/**
 * Goes to the best chain there is, trying again without what turns out to be invalid on the way. Hands each block that was
 * tried to `judged`.
 */
export const activateBestChain = Effect.fnUntraced(function*(
  engine: ChainEngine,
  judged: Judged = NOBODY
): Effect.fn.Return<void, ConnectError> {
  const { tree } = engine
  const before = tree.tip
  for (let best = bestCandidate(tree); best !== tree.tip && !engine.closing; best = bestCandidate(tree)) {
    const { connect, fork } = reorganisation(tree.tip, best)
    yield* disconnectWhile(engine, (tip) => tip !== fork)
    yield* connectPath(engine, connect as ReadonlyArray<TreeNode>, judged)
  }
  pruneCandidates(tree)
  if (tree.tip !== before && tree.tip.parent !== before) tellReorganisation(engine, before)
})
