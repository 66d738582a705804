import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { ChainEngine } from "../state/chain-engine.ts"

/** Marks that subscribers are about to get a tip whose coins are not committed and that no follower has processed yet. */
export const beginAhead = (engine: ChainEngine): void => {
  engine.ahead = Deferred.makeUnsafe()
}

/** Marks that the commit is over, or that it waits for disk space, which may take long. */
export const endAhead = (engine: ChainEngine): void => {
  const held = engine.ahead
  engine.ahead = undefined
  if (held !== undefined) Deferred.doneUnsafe(held, Effect.void)
}

/** Waits until the mempool, the coins and the index entries match the announced tip. */
export const untilCommitted = (engine: ChainEngine): Effect.Effect<void> =>
  Effect.suspend(() => engine.ahead === undefined ? Effect.void : Deferred.await(engine.ahead))
