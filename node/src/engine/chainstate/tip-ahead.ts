import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { ChainEngine } from "../state/chain-engine.ts"

/** Subscribers are about to learn of a tip whose coins are not committed, and that nothing has followed yet. */
export const beginAhead = (engine: ChainEngine): void => {
  engine.ahead = Deferred.makeUnsafe()
}

/** The commit is over, or has to wait for room, which may take long. */
export const endAhead = (engine: ChainEngine): void => {
  const held = engine.ahead
  engine.ahead = undefined
  if (held !== undefined) Deferred.doneUnsafe(held, Effect.void)
}

/** Waits until a caller that knows of the tip finds its mempool, its coins and its index entries. */
export const untilCommitted = (engine: ChainEngine): Effect.Effect<void> =>
  Effect.suspend(() => engine.ahead === undefined ? Effect.void : Deferred.await(engine.ahead))
