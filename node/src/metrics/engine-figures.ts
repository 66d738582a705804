import * as Effect from "effect/Effect"
import type { FigureCalls } from "../engine/api/engine-calls.ts"
import type { MakeExtension } from "../engine/chainstate/extension.ts"
import { watchThread } from "../figures/thread-figures.ts"

/** Serves the figures of the engine's thread, of the coins cache and of script checks. */
export const engineFigures: MakeExtension<keyof FigureCalls> = ({ coins, scriptCache }) =>
  Effect.map(watchThread, (thread) => ({
    handlers: {
      figures: () =>
        Effect.sync(() => ({
          thread: thread(),
          coins: { ...coins.statistics(), bytes: coins.bytes(), changes: coins.changes() },
          scripts: { ...scriptCache.checks }
        }))
    }
  }))
