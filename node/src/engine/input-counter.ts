import * as Effect from "effect/Effect"
import { inputCount } from "./connect-events.ts"
import type { MakeExtension } from "./engine.ts"

/** Counts the inputs of blocks that are connected: how fast a chain is verified says little without them. */
export const inputCounter: MakeExtension = (engine) =>
  Effect.succeed({
    hook: {
      connected: ({ block }) => {
        engine.inputs += inputCount(block)
      }
    }
  })
