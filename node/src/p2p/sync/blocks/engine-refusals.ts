import { machineClock } from "../../basics/environment.ts"
import { endHeaders } from "../headers/start-headers.ts"
import { REFUSAL_REST, REFUSAL_REST_MOST } from "../sync-limits.ts"
import type { SyncState } from "../sync-state.ts"

/**
 * Whether the engine takes nothing in, for want of space, say. That is no peer's fault, and nothing is asked for
 * meanwhile.
 */
export const isHalted = ({ context: { chain } }: SyncState): boolean => chain.state().halted !== undefined

const machineTime = ({ context: { environment } }: SyncState): number => machineClock(environment)()

/**
 * Whether a block that came now would come for nothing, as far as we know: it is refused, or it may be in our files.
 */
export const refusesBlocks = (sync: SyncState): boolean =>
  machineTime(sync) < sync.restUntil || isHalted(sync) || sync.context.chain.state().loadingBlocks

/** The engine refused a block: none is requested for a while. Refusals of the same moment count once. */
export const noteRefused = (sync: SyncState): void => {
  const now = machineTime(sync)
  if (now < sync.restUntil) return
  sync.refusals++
  sync.restUntil = now + Math.min(REFUSAL_REST * 2 ** Math.min(sync.refusals - 1, 10), REFUSAL_REST_MOST)
}

/** The engine accepted a block. */
export const noteTaken = (sync: SyncState): void => {
  sync.refusals = 0
  sync.restUntil = 0
}

/**
 * After a failure the sync starts over. The timeouts of peers that had to wait start anew, and headers that were
 * refused are requested again.
 */
export const beginAgain = (sync: SyncState): void => {
  for (const from of sync.peers.values()) {
    endHeaders(sync, from)
    from.headersFailures = 0
    from.chainSync.timeout = 0
  }
}
