import type { UnixMilliseconds } from "../../quantities.ts"
import { isForBlocks } from "../peer/peer.ts"
import { isHalted } from "./blocks/engine-refusals.ts"
import type { SyncStage } from "./sync-machine.ts"
import { LONELY_PATIENCE, REFUSALS_TO_FAIL } from "./sync-limits.ts"
import type { SyncState } from "./sync-state.ts"

/** Detects what prevents the node from following the chain. */
export interface FailureWatch {
  /** Returns the current failure, or `undefined`. Called periodically. */
  readonly look: (stage: SyncStage, now: UnixMilliseconds) => string | undefined
}

const NO_OTHER_NODE = "there is no other node to fetch the chain from"

const hasServer = ({ peers }: SyncState): boolean => {
  for (const { peer, servesBlocks } of peers.values()) {
    if (servesBlocks && isForBlocks(peer) && !peer.isGone) return true
  }
  return false
}

/** Returns the failure of the engine, if any. */
const engineFailure = (sync: SyncState): string | undefined => {
  if (isHalted(sync)) return sync.context.chain.state().halted
  return sync.refusals >= REFUSALS_TO_FAIL ? "blocks that come are not taken in" : undefined
}

/**
 * Makes the watch. Missing peers are a failure only while something else is missing: a node without peers that fetches
 * nothing is merely alone.
 */
export const failureWatch = (sync: SyncState): FailureWatch => {
  let aloneSince: number | undefined
  let isLonely = false
  const look = (stage: SyncStage, now: UnixMilliseconds): boolean => {
    if (hasServer(sync)) {
      aloneSince = undefined
      isLonely = false
      return false
    }
    const isFetching = stage === "Headers" || stage === "Blocks"
    aloneSince ??= now
    isLonely ||= isFetching && now - aloneSince >= LONELY_PATIENCE
    return isLonely
  }
  return {
    look: (stage, now) => {
      const lonely = look(stage, now)
      return engineFailure(sync) ?? (lonely ? NO_OTHER_NODE : undefined)
    }
  }
}
