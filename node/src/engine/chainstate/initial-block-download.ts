import { MAX_TIP_AGE } from "../options/limits.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { notifyLog } from "../notify/notifications.ts"

/** Ends the initial block download for good once the tip has enough work and is recent. */
export const updateInitialBlockDownload = (engine: ChainEngine): void => {
  const { clock, network, options: { maxTipAge = MAX_TIP_AGE }, tree } = engine
  if (!engine.initialBlockDownload || tree.tip.chainWork < network.minimumChainWork) return
  if (tree.tip.header.time < clock.now() - maxTipAge) return
  engine.initialBlockDownload = false
  notifyLog(engine, "info", "Initial block download is over", { height: tree.tip.height })
}
