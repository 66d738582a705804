import * as Effect from "effect/Effect"
import type { FigureCalls } from "../engine/api/engine-calls.ts"
import type { MakeExtension } from "../engine/extension.ts"
import { watchThread } from "../figures/thread-figures.ts"

/** Answers the figures of the engine's thread and of the coins cache. */
export const engineFigures: MakeExtension<keyof FigureCalls> = ({ coins }) =>
  Effect.map(watchThread, (thread) => ({
    handlers: {
      figures: () =>
        Effect.sync(() => ({
          thread: thread(),
          coins: { ...coins.statistics(), bytes: coins.bytes(), changes: coins.changes() }
        }))
    }
  }))
