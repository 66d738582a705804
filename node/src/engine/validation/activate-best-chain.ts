import { reorganisation } from "@lockstep/kernel/chain"
import * as Effect from "effect/Effect"
import { isEnding } from "../state/engine-status.ts"
import type { ChainEngine, Judged } from "../state/chain-engine.ts"
import type { ConnectError } from "../chainstate/connect-error.ts"
import { connectPath } from "./connect.ts"
import { disconnectWhile, settleReorganization } from "./disconnect.ts"
import { displayHash } from "../../hex.ts"
import { bestCandidate, pruneCandidates } from "../header-index/candidates.ts"
import type { HeaderIndexNode } from "../header-index/header-index-node.ts"
import { notifyEvent, notifyLog } from "../notify/notifications.ts"

/** Reports a reorganization if the chain left the branch whose tip was `before`. */
export const notifyReorganization = (engine: ChainEngine, before: HeaderIndexNode): void => {
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
  notifyEvent(engine, "ChainReorg", move)
  notifyLog(engine, "warn", "the chain moved to another branch", move)
}

const IGNORE: Judged = () => {}

/**
 * Activates the best chain. If a block on the way is invalid, it tries the next best chain. `judged` is called for each
 * block that was tried.
 */
export const activateBestChain = Effect.fnUntraced(function*(
  engine: ChainEngine,
  judged: Judged = IGNORE
): Effect.fn.Return<void, ConnectError> {
  const { tree } = engine
  const before = tree.tip
  for (let best = bestCandidate(tree); best !== tree.tip && !isEnding(engine); best = bestCandidate(tree)) {
    const { connect, fork } = reorganisation(tree.tip, best)
    yield* disconnectWhile(engine, (tip) => tip !== fork)
    yield* connectPath(engine, connect as ReadonlyArray<HeaderIndexNode>, judged)
    yield* settleReorganization(engine, true)
  }
  pruneCandidates(tree)
  if (tree.tip !== before && tree.tip.parent !== before) notifyReorganization(engine, before)
})
