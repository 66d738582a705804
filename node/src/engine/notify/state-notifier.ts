import type { ChainEngine } from "../chain-engine.ts"
import { STATE_INTERVAL } from "../limits.ts"
import { pushState } from "./push-state.ts"
import { publishPending } from "./notifications.ts"

/** Sends the state now and then during a long turn. In the initial download notifications do not wait for a commit. */
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
