import { machineClock } from "../../basics/environment.ts"
import { endHeaders } from "../headers/start-headers.ts"
import { REFUSAL_REST, REFUSAL_REST_MOST } from "../sync-limits.ts"
import type { SyncState } from "../sync-state.ts"

/**
 * True if the engine accepts nothing, for example for lack of disk space. No peer is to blame, and nothing is requested
 * meanwhile.
 */
export const isHalted = ({ context: { chain } }: SyncState): boolean => chain.state().halted !== undefined

const machineTime = ({ context: { environment } }: SyncState): number => machineClock(environment)()

/**
 * True if a block would be useless now, as far as known: it would be refused, or may be in the block files being
 * imported.
 */
export const refusesBlocks = (sync: SyncState): boolean =>
  machineTime(sync) < sync.restUntil || isHalted(sync) || sync.context.chain.state().loadingBlocks

/** Records that the engine refused a block: none is requested for a while. Refusals at the same moment count once. */
export const noteRefused = (sync: SyncState): void => {
  const now = machineTime(sync)
  if (now < sync.restUntil) return
  sync.refusals++
  sync.restUntil = now + Math.min(REFUSAL_REST * 2 ** Math.min(sync.refusals - 1, 10), REFUSAL_REST_MOST)
}

/** Records that the engine accepted a block. */
export const noteTaken = (sync: SyncState): void => {
  sync.refusals = 0
  sync.restUntil = 0
}

/**
 * Restarts the sync after a failure. The timeouts of waiting peers start again, and refused headers are requested
 * again.
 */
export const beginAgain = (sync: SyncState): void => {
  for (const from of sync.peers.values()) {
    endHeaders(sync, from)
    from.headersFailures = 0
    from.chainSync.timeout = 0
  }
}
