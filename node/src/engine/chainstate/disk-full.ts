import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { StorageError } from "../../storage/storage-error.ts"
import type { ChainEngine } from "../chain-engine.ts"
import { pushState } from "../notify/push-state.ts"
import { notifyLog } from "../notify/notifications.ts"

/** How often the node looks at a full disk again, unless a caller cannot wait. */
const LOOK_AGAIN = Duration.seconds(1)

/** The text before the cause. */
export const WARNING = "The disk is full: nothing is written until there is space again"

const pause = Effect.fnUntraced(function*(engine: ChainEngine, error: StorageError) {
  if (engine.paused === undefined) {
    engine.paused = error.message
    engine.pauses++
    engine.warnings.add(WARNING)
    notifyLog(engine, "error", WARNING, { cause: error.message })
    pushState(engine)
    for (const listener of engine.pauseListeners) listener(error.message)
  }
  for (;;) {
    if (engine.closing) return yield* error
    yield* Effect.sleep(engine.lookAgain ?? LOOK_AGAIN)
    const space = yield* engine.disk.space(engine.options.directory).pipe(Effect.orElseSucceed(() => ({ free: 0 })))
    if (space.free > engine.options.minimumFreeBytes) return
  }
})

/** Waits while space is low, unless the node stops. For long tasks, which should not have to start again. */
export const untilSpaceIsEnough = (engine: ChainEngine): Effect.Effect<void> =>
  Effect.gen(function*() {
    while (engine.lowSpace !== undefined && !engine.closing) yield* Effect.sleep(engine.lookAgain ?? LOOK_AGAIN)
  })

/**
 * Writes, and waits while the disk is full. Only for writes that may be retried as they are: what is in memory stays,
 * so nothing is lost by waiting. Gives up when the node stops; what is on disk is then the last commit.
 */
export const whenThereIsSpace = <A>(
  engine: ChainEngine,
  write: Effect.Effect<A, StorageError>
): Effect.Effect<A, StorageError> =>
  Effect.gen(function*() {
    // A long task that was under way when space ran low waits between two writes.
    yield* untilSpaceIsEnough(engine)
    for (;;) {
      const outcome = yield* Effect.result(write)
      if (outcome._tag === "Success") {
        if (engine.paused !== undefined) {
          engine.paused = undefined
          engine.warnings.delete(WARNING)
          notifyLog(engine, "info", "There is space on the disk again: writing goes on")
          pushState(engine)
        }
        return outcome.success
      }
      if (outcome.failure.reason !== "full") return yield* outcome.failure
      yield* pause(engine, outcome.failure)
    }
  })
