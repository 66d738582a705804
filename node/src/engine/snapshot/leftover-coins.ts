import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { otherSpace } from "../../coins/coin-space.ts"
import { rangeOf } from "../../storage/key-space.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import type { ChainEngine } from "../chain-engine.ts"
import { isEnding } from "../chainstate/engine-status.ts"
import { yieldToEventLoop } from "../yield-to-event-loop.ts"

/** Coins that are removed at once: some ten milliseconds of work. */
const AT_ONCE = 5_000

/**
 * Removes all coins of the set that is not in use, some at a time; ends early when the engine does. Precondition: no
 * chain has that set.
 */
export const removeLeftoverCoins = Effect.fnUntraced(
  function*(engine: ChainEngine): Effect.fn.Return<void, StorageError> {
    const { active, whole } = engine.chainstates
    const range = { ...rangeOf(otherSpace(active)), limit: AT_ONCE }
    while (!isEnding(engine)) {
      const entries = (yield* Stream.runCollect(whole.range(range))).flat()
      if (entries.length === 0) return
      yield* whole.write((batch) => {
        for (const [key] of entries) batch.remove(key)
      })
      yield* yieldToEventLoop
    }
  }
)
