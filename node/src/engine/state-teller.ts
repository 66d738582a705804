import type { ChainEngine } from "./chain-engine.ts"
import { STATE_INTERVAL } from "./limits.ts"
import { pushState } from "./push-state.ts"
import { release } from "./tell.ts"

/** Tells the state now and then during a long turn: in the initial download nothing waits for a commit to be told. */
export const stateTeller = (engine: ChainEngine): () => void => {
  let last = performance.now()
  return () => {
    if (!engine.initialBlockDownload || performance.now() - last < STATE_INTERVAL) return
    last = performance.now()
    pushState(engine)
    release(engine)
  }
}
