import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { StorageError } from "../../storage/storage-error.ts"
import { DISK_FULL } from "../api/fault-text.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { pushState } from "./push-state.ts"
import { notifyLog } from "../notify/notifications.ts"
import { endAhead } from "./tip-ahead.ts"
import { isEnding, setPaused, setResumed, spaceFault } from "../state/engine-status.ts"

/** Interval between two checks of a full disk, unless a caller cannot wait. */
const LOOK_AGAIN = Duration.seconds(1)

const begin = (engine: ChainEngine, cause: string): void => {
  setPaused(engine, cause)
  engine.pauses++
  endAhead(engine)
  engine.warnings.add(DISK_FULL)
  notifyLog(engine, "error", DISK_FULL, { cause })
  pushState(engine)
  for (const listener of engine.pauseListeners) listener(cause)
}

const end = (engine: ChainEngine): void => {
  setResumed(engine)
  engine.warnings.delete(DISK_FULL)
  notifyLog(engine, "info", "There is space on the disk again: writing goes on")
  pushState(engine)
}

/** Waits until the disk has space. Fails if the engine is closing. */
const spaceOrEnd = Effect.fnUntraced(function*(engine: ChainEngine, error: StorageError) {
  for (;;) {
    if (isEnding(engine)) return yield* error
    yield* Effect.sleep(engine.lookAgain ?? LOOK_AGAIN)
    const space = yield* engine.disk.space(engine.options.directory).pipe(Effect.orElseSucceed(() => ({ free: 0 })))
    if (space.free > engine.options.minimumFreeBytes) return
  }
})

/** Waits while space is low, unless the node stops. For long tasks, which should not have to start again. */
export const untilSpaceIsEnough = (engine: ChainEngine): Effect.Effect<void> =>
  Effect.gen(function*() {
    while (spaceFault(engine) !== undefined) yield* Effect.sleep(engine.lookAgain ?? LOOK_AGAIN)
  })

/**
 * Writes, and waits while the disk is full. Only for writes that may be repeated unchanged: memory keeps the changes,
 * so waiting loses nothing. Gives up when the node stops; the disk then has the last commit.
 */
export const whenThereIsSpace = <A>(
  engine: ChainEngine,
  write: Effect.Effect<A, StorageError>
): Effect.Effect<A, StorageError> =>
  Effect.gen(function*() {
    // A long task that was under way when space ran low waits between two writes.
    yield* untilSpaceIsEnough(engine)
    for (let hasWaited = false;; hasWaited = true) {
      const outcome = yield* Effect.result(write)
      if (outcome._tag === "Success") {
        if (hasWaited) end(engine)
        return outcome.success
      }
      if (outcome.failure.reason !== "full") return yield* outcome.failure
      if (!hasWaited) begin(engine, outcome.failure.message)
      yield* spaceOrEnd(engine, outcome.failure)
    }
  })
