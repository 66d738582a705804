import type { NodeEvent } from "../../events/node-event.ts"
import { nodeEvent } from "../../events/node-event.ts"
import { displayHash } from "../../hex.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import type { ChainHook } from "../state/chain-hook.ts"
import type { TxMempool } from "../txmempool/contract.ts"
import { selectForNext } from "./pooled-contents.ts"

/** Notifies miners of the number of transactions in a template on the tip. */
export const templateUpdated = ({ tree: { tip } }: ChainEngine, transactions: number): NodeEvent =>
  nodeEvent("BlockTemplateUpdated", {
    previous_hash: displayHash(tip.hash),
    height: tip.height + 1,
    transactions
  })

/**
 * Notifies miners of a new tip to build on, once it is on disk. In the initial block download every tip is outdated
 * before a template on it is useful.
 */
export const templateHook = (engine: ChainEngine, mempool: TxMempool): ChainHook => {
  const { tree } = engine
  let lastTip = tree.tip
  return {
    committed: () => {
      const { tip } = tree
      if (tip === lastTip) return
      lastTip = tip
      if (engine.initialBlockDownload) return
      const { transactions } = selectForNext(engine, mempool)
      engine.pendingNotifications.push({ _tag: "Event", event: templateUpdated(engine, transactions.length) })
    }
  }
}
