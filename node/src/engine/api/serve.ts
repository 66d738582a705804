import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { RunningEngine } from "../engine.ts"
import { refusal, RefusalCode } from "../refusal.ts"
import type { EngineRefusal } from "./engine-calls.ts"
import type { CallMessage, EngineMessage } from "./engine-messages.ts"
import type { Outbox } from "./outbox.ts"

/** The part of a port that calls come from. */
export interface CallPort {
  readonly on: (event: "message", listener: (message: CallMessage) => void) => unknown
}

const messageOf = (id: number, exit: Exit.Exit<unknown, EngineRefusal>): EngineMessage => {
  if (Exit.isSuccess(exit)) return { _tag: "Answer", id, value: exit.value }
  const error = Cause.findError(exit.cause)
  if (error._tag === "Success") return { _tag: "Refusal", id, refusal: error.success }
  return { _tag: "Refusal", id, refusal: refusal(RefusalCode.INTERNAL, Cause.pretty(exit.cause)) }
}

/** Answers calls until one asks to close; yields the answer to that one, which is given when everything is closed. */
export const serve = (port: CallPort, { send }: Outbox, { call }: RunningEngine): Effect.Effect<EngineMessage> =>
  Effect.gen(function*() {
    const closed = yield* Deferred.make<EngineMessage>()
    port.on("message", ({ id, input, name }) => {
      Effect.runFork(
        Effect.matchCauseEffect(call(name, input), {
          onFailure: (cause) => Effect.succeed(messageOf(id, Exit.failCause(cause))),
          onSuccess: (value) => Effect.succeed(messageOf(id, Exit.succeed(value)))
        }).pipe(
          Effect.flatMap((message) =>
            name === "close" ? Deferred.succeed(closed, message) : Effect.sync(() => send(message))
          )
        )
      )
    })
    return yield* Deferred.await(closed)
  })
