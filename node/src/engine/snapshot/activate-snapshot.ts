import * as Effect from "effect/Effect"
import { otherSpace } from "../../coins/coin-space.ts"
import { displayHash } from "../../hex.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { commit } from "../chainstate/commit.ts"
import { updateInitialBlockDownload } from "../chainstate/initial-block-download.ts"
import { setTip } from "../header-index/active-chain.ts"
import { findCandidates } from "../header-index/candidates.ts"
import { setStatus } from "../header-index/header-index.ts"
import { HeaderStatus } from "../header-index/header-status.ts"
import { linkWaiting, markAssumed } from "../header-index/link-block.ts"
import { notifyLog } from "../notify/notifications.ts"
import { activateBestChain } from "../validation/activate-best-chain.ts"
import type { ConnectError } from "../chainstate/connect-error.ts"
import { cacheIn } from "../state/chainstates.ts"
import type { Loadable } from "./refusals.ts"
import type { Snapshot } from "../state/snapshot.ts"

/**
 * Makes the unused set of coins that of the active chain, whose tip becomes the base. The former chain becomes the
 * background chain. All of it is one batch of the store. Preconditions: the writer's turn; the set holds the coins of
 * the snapshot, and its hash is the known one.
 */
export const activateSnapshot = Effect.fnUntraced(function*(
  engine: ChainEngine,
  { base, known }: Loadable
): Effect.fn.Return<Snapshot, ConnectError> {
  const { chainstates, options, tree } = engine
  // Both caches begin with the content of the store.
  yield* commit(engine)
  const { active, whole } = chainstates
  const background = { tip: tree.tip, coins: yield* cacheIn(whole, active, options, true) }
  chainstates.coins.switchTo(yield* cacheIn(whole, otherSpace(active), options, true))
  chainstates.active = otherSpace(active)
  chainstates.hasLeftover = false
  const snapshot: Snapshot = { base, known, background, whenReached: () => {}, comparison: undefined }
  engine.snapshot = snapshot
  engine.files.divideAt(base.height)
  markAssumed(tree, base, known.chainTransactions)
  setStatus(tree, base, HeaderStatus.CONNECTED)
  linkWaiting(tree, base)
  setTip(tree, base)
  tree.candidates.clear()
  findCandidates(tree)
  engine.dirty = true
  updateInitialBlockDownload(engine)
  engine.crashPoint("before-snapshot-activated")
  yield* commit(engine)
  engine.crashPoint("snapshot-activated")
  notifyLog(engine, "info", "[snapshot] successfully activated snapshot", {
    height: base.height,
    block_hash: displayHash(base.hash)
  })
  yield* activateBestChain(engine)
  return snapshot
})
