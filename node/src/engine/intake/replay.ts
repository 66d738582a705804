import * as Effect from "effect/Effect"
import type { EngineFault } from "../api/engine-error.ts"
import { engineFaultText } from "../api/fault-text.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import type { Writer } from "../chainstate/writer.ts"
import { bestCandidate } from "../header-index/candidates.ts"
import { makeBacklog } from "./backlog.ts"
import { connectArrivals } from "./connect-arrivals.ts"
import { notifyLog } from "../notify/notifications.ts"
import { pushState } from "../chainstate/push-state.ts"

/** Number of blocks that are connected before the engine accepts calls. */
const BEFORE_CALLS = 1_000

/** Reports whether so many stored blocks are to be connected that calls are handled meanwhile. */
export const needsReplay = ({ options, tree }: ChainEngine): boolean => {
  const ahead = bestCandidate(tree).height - tree.tip.height
  return ahead > (options.rebuildCoins === true ? 0 : BEFORE_CALLS)
}

/** Connects the stored blocks that the start deferred, in turns between calls. */
export const replay = (engine: ChainEngine, writer: Writer): Effect.Effect<void> =>
  Effect.gen(function*() {
    if (!engine.isReplaying) return
    const { tree } = engine
    notifyLog(engine, "info", "Stored blocks are connected", {
      height: tree.tip.height,
      to: bestCandidate(tree).height
    })
    const backlog = makeBacklog(0)
    while (yield* writer.change(connectArrivals(engine, writer, [], backlog, () => {})));
    engine.isReplaying = false
    pushState(engine)
    notifyLog(engine, "info", "Stored blocks were connected", { height: tree.tip.height })
  }).pipe(Effect.catch((fault: EngineFault) =>
    Effect.sync(() => {
      if (fault._tag === "Closing" || fault._tag === "Broken") return
      notifyLog(engine, "error", "Connecting stored blocks ended early; it goes on at the next start", {
        cause: engineFaultText(fault)
      })
    })
  ))
