import * as Effect from "effect/Effect"
import type { MakeExtension } from "../extension.ts"
import { displayHash } from "../../hex.ts"
import { notifyEvent } from "../notify/notifications.ts"

/**
 * Notifies miners of a new tip to build on, once it is on disk. In the initial download every tip is old before a
 * template on it is of use.
 */
export const templateNews: MakeExtension = (engine) =>
  Effect.sync(() => {
    const { tree } = engine
    let lastTip = tree.tip
    return {
      hooks: [{
        committed: () => {
          const { tip } = tree
          if (tip === lastTip) return
          lastTip = tip
          if (engine.initialBlockDownload) return
          // Templates hold no transactions but the coinbase.
          notifyEvent(engine, "BlockTemplateUpdated", {
            previous_hash: displayHash(tip.hash),
            height: tip.height + 1,
            transactions: 0
          })
        }
      }]
    }
  })
