import { blockWork } from "@lockstep/kernel/work"
import { WORK_MARGIN_BLOCKS } from "../sync-limits.ts"
import type { SyncState } from "../sync-state.ts"

/**
 * Returns the work that a chain of headers must have before any of it is stored. It is that of a chain that could
 * overtake ours within a day, and at least the minimum chain work of the network (CVE-2019-25220).
 */
export const workThreshold = ({ context: { chain: { tree: { tip } }, network } }: SyncState): bigint => {
  const margin = blockWork(tip.header.bits) * WORK_MARGIN_BLOCKS
  const nearTip = tip.chainWork - (margin < tip.chainWork ? margin : tip.chainWork)
  return nearTip > network.minimumChainWork ? nearTip : network.minimumChainWork
}
