import { medianTimePast } from "@lockstep/kernel/chain"
import type { ChainState } from "../api/chain-state.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { haltedBecause } from "../state/engine-status.ts"
import { isLoadingBlocks } from "./loading-blocks.ts"
import { prunedHeight } from "../header-index/pruned-height.ts"
import { notifyVerdicts } from "../notify/notifications.ts"
import { snapshotState } from "./snapshot-state.ts"
import { progressAt } from "./verification-progress.ts"

/** Returns the present state of the chain. */
export const chainState = (engine: ChainEngine): ChainState => {
  const { clock, coins, files, options, tree } = engine
  const { bestHeader, columns, tip } = tree
  const { bits, time } = tip.header
  const transactions = columns.chainTransactions[tip.index]!
  const pruned = options.pruning._tag !== "Disabled"
  return {
    height: tip.height,
    hash: tip.hash.slice(),
    time,
    bits,
    medianTime: medianTimePast(tip),
    chainWork: tip.chainWork,
    headersHeight: bestHeader.height,
    headersHash: bestHeader.hash.slice(),
    progress: progressAt(engine, tip),
    initialBlockDownload: engine.initialBlockDownload,
    sizeOnDisk: files.sizeOnDisk(),
    pruned,
    pruneHeight: pruned ? prunedHeight(tree) + 1 : undefined,
    transactions,
    inputs: engine.inputs,
    cacheBytes: coins.bytes(),
    cacheChanges: coins.changes(),
    halted: haltedBecause(engine),
    loadingBlocks: isLoadingBlocks(engine),
    warnings: [...engine.warnings],
    snapshot: snapshotState(engine),
    mockTime: clock.mockTime()
  }
}

/** Notifies the subscribers of the present state. */
export const pushState = (engine: ChainEngine): void => {
  notifyVerdicts(engine)
  engine.notify({ _tag: "State", state: chainState(engine) })
}
