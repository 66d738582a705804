import { randomInt } from "node:crypto"
import type { ChainEngine } from "../state/chain-engine.ts"
import { unixSeconds } from "../../quantities.ts"
import { txMempool } from "../txmempool/txmempool.ts"
import type { MempoolContext, MempoolListener } from "./contract.ts"
import type { MempoolSettings } from "../options/settings.ts"

/** Makes an empty mempool of an engine. Listeners are called in the given order. */
export const makeMempoolContext = (
  engine: ChainEngine,
  settings: MempoolSettings,
  listeners: ReadonlyArray<MempoolListener>
): MempoolContext => {
  const { clock } = engine
  const { expirySeconds, maxBytes, maxTransactions, policy } = settings
  const state = txMempool({
    limits: { transactions: policy.cluster.count, size: policy.cluster.weight },
    maxBytes,
    maxCount: maxTransactions,
    incrementalFee: Number(policy.incrementalRelayFee.fee) * 1000 / policy.incrementalRelayFee.size,
    seed: randomInt(2 ** 32),
    now: unixSeconds(clock.now())
  })

  const context: MempoolContext = {
    engine,
    settings,
    state,
    announceAdded: (tx, entered) => {
      const sequence = state.takeSequence()
      const entry = state.entry(tx)
      for (const listener of listeners) listener.added?.(tx, entry, sequence, entered)
    },
    announceRemoved: (removed) => {
      for (const listener of listeners) listener.removedTogether?.(removed)
      for (const each of removed) for (const listener of listeners) listener.removed?.(each)
    },
    announceBlock: (removed, height) => {
      for (const listener of listeners) listener.blockConnected?.(removed, height)
    },
    makeRoom: () => {
      context.announceRemoved(state.expire(unixSeconds(clock.now() - expirySeconds)))
      const { minimum, removed } = state.trim()
      context.announceRemoved(removed)
      if (removed.length > 0) { for (const listener of listeners) listener.trimmed?.(removed.length, minimum) }
      context.announceMinimumFee()
    },
    minimumFee: () => state.minimumFee(unixSeconds(clock.now())),
    foreseenMinimumFee: () => state.foreseenMinimumFee(unixSeconds(clock.now())),
    announceMinimumFee: () => {
      const rate = context.foreseenMinimumFee()
      for (const listener of listeners) listener.minimumFee?.(rate)
    }
  }
  return context
}
