import type { Height } from "@lockstep/kernel/quantities"
import type { Moment } from "../../quantities.ts"
import type { SyncStage } from "./sync-machine.ts"
import { downloadingCount, type SyncState } from "./sync-state.ts"
import type { Rates } from "./blocks/rate-window.ts"

/** How far the sync is, for the operator and modules. */
export interface SyncStatus {
  readonly stage: SyncStage
  /** Milliseconds since 1970. */
  readonly since: Moment
  /** Why it failed, at the stage Error. */
  readonly error: string | undefined
  /** Of the whole sync, by stages. */
  readonly percent: number
  readonly height: Height
  readonly headers: number
  /** The height that headers are expected to reach. */
  readonly target: number
  /** Share of the chain that is verified, 0 to 1. */
  readonly verified: number
  readonly initialBlockDownload: boolean
  readonly rates: Rates
  /** Peers, those that headers and those that blocks are awaited from, and how many blocks. */
  readonly peers: number
  readonly headersFrom: number
  readonly blocksFrom: number
  readonly blocksInFlight: number
  /** Heights of headers in presync; none: no presync. */
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

/** What the state machine knows, with what the sync and the chain do. */
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
