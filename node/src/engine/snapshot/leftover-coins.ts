import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type CoinSpace, otherSpace } from "../../coins/coin-space.ts"
import { rangeOf } from "../../storage/key-space.ts"
import type { KeyValueStore } from "../../storage/key-value/key-value-store.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { isEnding } from "../state/engine-status.ts"
import { yieldToEventLoop } from "../options/yield-to-event-loop.ts"

/** Number of coins removed in one step: some ten milliseconds of work. */
const AT_ONCE = 5_000

/** Removes all coins of a set that no chain uses, step by step; ends early when `isOver`. */
export const removeCoins = Effect.fnUntraced(
  function*(whole: KeyValueStore, space: CoinSpace, isOver: () => boolean): Effect.fn.Return<void, StorageError> {
    const range = { ...rangeOf(space), limit: AT_ONCE }
    while (!isOver()) {
      const entries = (yield* Stream.runCollect(whole.range(range))).flat()
      if (entries.length === 0) return
      yield* whole.write((batch) => {
        for (const [key] of entries) batch.remove(key)
      })
      yield* yieldToEventLoop
    }
  }
)

/** Removes all coins of the unused set; ends early when the engine ends. */
export const removeLeftoverCoins = (engine: ChainEngine): Effect.Effect<void, StorageError> =>
  Effect.suspend(() => {
    const { active, whole } = engine.chainstates
    return removeCoins(whole, otherSpace(active), () => isEnding(engine))
  })
