import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ChainEngine } from "../state/chain-engine.ts"

const LOOK_AGAIN = Duration.millis(250)

type Work = Pick<ChainEngine, "isReplaying" | "loadingBlocks">

/**
 * Reports whether stored blocks still have to be accepted or connected. Until then it is unknown which blocks are
 * missing.
 */
export const isLoadingBlocks = ({ isReplaying, loadingBlocks }: Work): boolean => loadingBlocks || isReplaying

/** Waits until the stored blocks that the start deferred are connected. */
export const untilReplayed = (engine: Work): Effect.Effect<void> =>
  Effect.suspend(() =>
    engine.isReplaying ? Effect.andThen(Effect.sleep(LOOK_AGAIN), untilReplayed(engine)) : Effect.void
  )
