import type { Height } from "@lockstep/kernel/quantities"
import type { Moment } from "../../quantities.ts"
import type { SyncStage } from "./sync-machine.ts"
import { downloadingCount, type SyncState } from "./sync-state.ts"
import type { Rates } from "./blocks/rate-window.ts"

/** Status of the sync, for the operator and modules. */
export interface SyncStatus {
  readonly stage: SyncStage
  /** Milliseconds since 1970. */
  readonly since: Moment
  /** Reason of the failure, at the stage Error. */
  readonly error: string | undefined
  /** Percent of the whole sync, by stages. */
  readonly percent: number
  readonly height: Height
  readonly headers: number
  /** The height that headers are expected to reach. */
  readonly target: number
  /** Verified share of the chain, from 0 to 1. */
  readonly verified: number
  readonly initialBlockDownload: boolean
  readonly rates: Rates
  /** Number of peers, of those that headers and that blocks are awaited from, and of blocks in flight. */
  readonly peers: number
  readonly headersFrom: number
  readonly blocksFrom: number
  readonly blocksInFlight: number
  /** Height of headers in presync; `undefined` without a presync. */
  readonly presynced: number | undefined
  readonly cacheBytes: number
}

const presyncedOf = ({ peers }: SyncState): number | undefined => {
  let highest: number | undefined
  for (const { presync } of peers.values()) {
    if (presync?.phase === "adding up") highest = Math.max(highest ?? 0, presync.height)
  }
  return highest
}

/** Returns the status, from the state machine, the sync and the chain. */
export const syncStatus = (
  sync: SyncState,
  progress: Pick<SyncStatus, "stage" | "since" | "error" | "percent" | "target" | "rates">
): SyncStatus => {
  const { cacheBytes, headersHeight, height, initialBlockDownload, progress: verified } = sync.context.chain.state()
  return {
    ...progress,
    height,
    headers: headersHeight,
    verified,
    initialBlockDownload,
    peers: sync.context.peers.size,
    headersFrom: sync.headersFrom,
    blocksFrom: downloadingCount(sync),
    blocksInFlight: sync.inFlight.size,
    presynced: presyncedOf(sync),
    cacheBytes
  }
}
