import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type { ChainEngine } from "../state/chain-engine.ts"
import { defect } from "../chainstate/faults.ts"
import type { RunningEngine } from "./engine.ts"
import type { EngineCallName } from "../api/engine-calls.ts"
import type { EngineError } from "../api/engine-error.ts"
import type { CallMessage, EngineMessage } from "../api/engine-messages.ts"
import type { Outbox } from "./outbox.ts"

/** The receiving side of a port. */
export interface CallPort {
  readonly on: (event: "message", listener: (message: CallMessage) => void) => unknown
}

const errorOf = (engine: ChainEngine, cause: Cause.Cause<EngineError>): EngineError => {
  const error = Cause.findError(cause)
  return error._tag === "Success" ? error.success : defect(engine, cause)
}

/**
 * Handles calls until one requests to close. Yields the answer to that one, which is sent once everything is closed.
 * Calls that still run then are interrupted and get no answer.
 */
export const serve = (
  port: CallPort,
  { send }: Outbox,
  { call, chain }: RunningEngine<EngineCallName>
): Effect.Effect<EngineMessage> =>
  Effect.gen(function*() {
    const run = yield* FiberSet.makeRuntime()
    const closed = yield* Deferred.make<EngineMessage>()
    port.on("message", ({ id, input, name }) => {
      const answer: Effect.Effect<unknown, EngineError> = call(name, input)
      run(
        Effect.matchCause(answer, {
          onFailure: (cause): EngineMessage => ({ _tag: "Failure", id, error: errorOf(chain, cause) }),
          onSuccess: (value): EngineMessage => ({ _tag: "Answer", id, value })
        }).pipe(
          Effect.flatMap((message) =>
            name === "close" ? Deferred.succeed(closed, message) : Effect.sync(() => send(message))
          )
        )
      )
    })
    return yield* Deferred.await(closed)
  }).pipe(Effect.scoped)
