import * as Effect from "effect/Effect"
import type { MakeExtension } from "../engine/engine.ts"
import { watchThread } from "./thread-figures.ts"

/** Tells how the engine's thread and its coin cache are doing. */
export const engineFigures: MakeExtension = ({ coins }) =>
  Effect.map(watchThread, (thread) => ({
    handlers: {
      figures: () => Effect.sync(() => ({ thread: thread(), coins: { ...coins.statistics(), bytes: coins.bytes(), changes: coins.changes() } }))
    }
  }))
