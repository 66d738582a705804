import { medianTimePast } from "@lockstep/kernel/chain"
import type { BackgroundState, SnapshotState } from "../api/chain-state.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { progressAt } from "./verification-progress.ts"
import type { BackgroundChain, Snapshot } from "../state/snapshot.ts"

const backgroundState = (
  engine: ChainEngine,
  { known }: Snapshot,
  { coins, tip }: BackgroundChain
): BackgroundState => {
  const transactions = engine.tree.columns.chainTransactions[tip.index]!
  return {
    height: tip.height,
    hash: tip.hash.slice(),
    bits: tip.header.bits,
    medianTime: medianTimePast(tip),
    chainWork: tip.chainWork,
    progress: progressAt(engine, tip),
    progressToBase: Math.min(transactions / known.chainTransactions, 1),
    cacheBytes: coins.bytes()
  }
}

/** Returns the state of the snapshot that the chain began with, or `undefined` without one. */
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
