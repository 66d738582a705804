import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { ScriptPool, ScriptPoolFailure } from "./script-pool.ts"

/**
 * Returns a pool whose workers are started by the first block that has scripts. A node that meets none, such as one
 * started for a single query, pays for no threads. A failed start is tried again by the next block.
 */
export const startWhenNeeded = (
  workers: number,
  provider: string,
  start: Effect.Effect<ScriptPool, ScriptPoolFailure>
): ScriptPool => {
  const turn = Semaphore.makeUnsafe(1)
  let pool: ScriptPool | undefined
  let isClosed = false

  const started: typeof start = turn.withPermits(1)(Effect.suspend((): typeof start => {
    if (isClosed) return Effect.fail({ _tag: "ScriptPoolFailure", message: "The script workers were stopped." })
    if (pool !== undefined) return Effect.succeed(pool)
    // Workers without any reference would never be stopped.
    return Effect.uninterruptible(Effect.tap(start, (begun) =>
      Effect.sync(() => {
        pool = begun
      })))
  }))

  return {
    workers,
    provider,
    judge: (block, collected) => {
      if (collected.jobs.length === 0) return Effect.succeed(undefined)
      // At once, because the caller continues with the next block before the effect runs.
      if (pool !== undefined) return pool.judge(block, collected)
      return Effect.flatMap(started, (begun) => begun.judge(block, collected))
    },
    close: turn.withPermits(1)(Effect.suspend(() => {
      isClosed = true
      return pool === undefined ? Effect.void : pool.close
    }))
  }
}
