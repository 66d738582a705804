import { medianTimePast } from "@lockstep/kernel/chain"
import type { BackgroundState, SnapshotState } from "../api/chain-state.ts"
import type { ChainEngine } from "../chain-engine.ts"
import { verificationProgress } from "../chainstate/verification-progress.ts"
import type { BackgroundChain, Snapshot } from "./snapshot.ts"

const backgroundState = (
  { clock, network, parameters, tree }: ChainEngine,
  { known }: Snapshot,
  { coins, tip }: BackgroundChain
): BackgroundState => {
  const { bits, time } = tip.header
  const transactions = tree.columns.chainTransactions[tip.index]!
  const facts = {
    transactions,
    time,
    headersAhead: tree.bestHeader.height - tip.height,
    now: clock.now(),
    targetSpacing: parameters.work.targetSpacing
  }
  return {
    height: tip.height,
    hash: tip.hash.slice(),
    bits,
    medianTime: medianTimePast(tip),
    chainWork: tip.chainWork,
    progress: verificationProgress(facts, network.chainTransactions),
    progressToBase: Math.min(transactions / known.chainTransactions, 1),
    cacheBytes: coins.bytes()
  }
}

/** The snapshot that the chain began with; none: there is none. */
export const snapshotState = (engine: ChainEngine): SnapshotState | undefined => {
  const { snapshot } = engine
  if (snapshot === undefined) return undefined
  const { background, base } = snapshot
  return {
    height: base.height,
    hash: base.hash.slice(),
    background: background && backgroundState(engine, snapshot, background)
  }
}
