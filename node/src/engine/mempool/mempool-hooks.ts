import * as Effect from "effect/Effect"
import { unixSeconds } from "../../quantities.ts"
import type { ChainHook } from "../state/chain-hook.ts"
import { notifyConfirmed } from "./confirmed-transactions.ts"
import type { Acceptance, MempoolContext } from "./contract.ts"
import { disconnectedTransactions } from "./disconnected-transactions.ts"
import { reorganize } from "./reorganize.ts"

/** Makes the hook by which the mempool follows the chain. */
export const mempoolHooks = (context: MempoolContext, acceptance: Acceptance): ChainHook => {
  const { announceBlock, announceRemoved, engine, state } = context
  const disconnected = disconnectedTransactions()
  let isStale = false
  return {
    // In the initial block download blocks are many, and nothing waits for them here.
    isIdle: () => engine.initialBlockDownload && state.totals().count === 0 && disconnected.isEmpty(),
    connected: ({ block, node, transactionIds, witnessIds }) => {
      const removed = state.blockConnected(block.transactions, transactionIds, unixSeconds(engine.clock.now()))
      state.tipChanged()
      disconnected.remove(transactionIds)
      announceRemoved(removed)
      announceBlock(removed, node.height)
      notifyConfirmed(engine, block, transactionIds, witnessIds)
    },
    disconnected: ({ block, transactionIds }) => {
      isStale = true
      state.tipChanged()
      for (const { tx, txid } of disconnected.add(block.transactions, transactionIds)) {
        announceRemoved(state.removeRecursive(tx, txid, "reorg"))
      }
    },
    reorganized: (comesBack) =>
      Effect.suspend(() => {
        if (!isStale) return Effect.void
        isStale = false
        return reorganize(context, acceptance, disconnected, comesBack)
      })
  }
}
