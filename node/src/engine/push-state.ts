import { medianTimePast } from "@lockstep/kernel/header/median-time.ts"
import type { ChainState } from "./calls/chain-state.ts"
import type { ChainEngine } from "./chain-engine.ts"
import { lowestStoredHeight } from "./header-tree/stored-heights.ts"
import { tellVerdicts } from "./tell.ts"
import { verificationProgress } from "./verification-progress.ts"

/** The chain as it is now. */
export const chainState = (engine: ChainEngine): ChainState => {
  const { clock, coins, files, network, options, parameters, tree } = engine
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
    progress: verificationProgress(
      {
        transactions,
        time,
        headersAhead: bestHeader.height - tip.height,
        now: clock.now(),
        targetSpacing: parameters.work.targetSpacing
      },
      network.chainTransactions
    ),
    initialBlockDownload: engine.initialBlockDownload,
    sizeOnDisk: files.sizeOnDisk(),
    pruned,
    pruneHeight: pruned ? lowestStoredHeight(tree) : undefined,
    transactions,
    inputs: engine.inputs,
    cacheBytes: coins.bytes(),
    cacheChanges: coins.changes(),
    halted: engine.paused ?? engine.lowSpace,
    takingIn: engine.takingIn,
    warnings: [...engine.warnings],
    mockTime: clock.mockTime()
  }
}

/** Tells the other side how the chain is now. */
export const pushState = (engine: ChainEngine): void => {
  tellVerdicts(engine)
  engine.tell({ _tag: "State", state: chainState(engine) })
}
