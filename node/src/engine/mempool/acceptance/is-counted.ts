import type { ChainEngine } from "../../chain-engine.ts"

/** Seconds after which a tip says too little about the fees of the day. */
const MAX_FEE_TIP_AGE = 3 * 60 * 60

/** Whether the chain is as far as it can be known to be, so that what enters the mempool waits for the next block. */
export const chainIsCurrent = ({ clock, initialBlockDownload, tree: { bestHeader, tip } }: ChainEngine): boolean =>
  !initialBlockDownload && tip.header.time >= clock.now() - MAX_FEE_TIP_AGE && tip.height >= bestHeader.height - 1
