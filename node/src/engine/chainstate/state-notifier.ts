import type { ChainEngine } from "../state/chain-engine.ts"
import { STATE_INTERVAL } from "../options/limits.ts"
import { pushState } from "./push-state.ts"
import { publishPending } from "../notify/notifications.ts"

/**
 * Sends the state from time to time during a long turn. In the initial block download notifications do not wait for a
 * commit.
 */
export const stateNotifier = (engine: ChainEngine): () => void => {
  const { clock } = engine
  let last = clock.elapsed()
  return () => {
    if (!engine.initialBlockDownload || clock.elapsed() - last < STATE_INTERVAL) return
    last = clock.elapsed()
    pushState(engine)
    publishPending(engine)
  }
}
