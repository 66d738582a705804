import type { IpcError } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { ensuring } from "../../finalizers/finalizers.ts"

/** Maximum number of blocks of one module that wait for validation. */
export const MAX_RECEIVED_BLOCKS = 8

/** Blocks that a module received and the engine has not validated yet. */
export interface ReceivedBlocks {
  /** Starts a validation without waiting for its end. */
  readonly queue: (validation: Effect.Effect<void>) => Effect.Effect<void, IpcError>
}

/** A queue without blocks. */
export const receivedBlocks = (scope: Scope.Scope): ReceivedBlocks => {
  let waiting = 0
  const done = Effect.sync(() => void waiting--)
  return {
    queue: (validation) =>
      Effect.suspend(() => {
        if (waiting >= MAX_RECEIVED_BLOCKS) {
          return Effect.fail(
            {
              kind: "ResourceExhausted",
              text: `${MAX_RECEIVED_BLOCKS} blocks of the module wait for validation`
            } as const
          )
        }
        waiting++
        return Effect.asVoid(Effect.forkIn(ensuring(validation, done), scope))
      })
  }
}
