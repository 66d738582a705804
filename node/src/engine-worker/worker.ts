import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { parentPort } from "node:worker_threads"
import { earlyCalls } from "../engine/host/early-calls.ts"
import type { EngineStart } from "../engine/api/engine-messages.ts"
import { outbox } from "../engine/host/outbox.ts"
import { serve } from "../engine/host/serve.ts"
import { runEngine } from "./run-engine.ts"

const port = parentPort!

const reasonOf = (cause: Cause.Cause<{ readonly message: string }>): string => {
  const error = Cause.findError(cause)
  return error._tag === "Success" ? error.success.message : Cause.pretty(cause)
}

const start = async ({ options }: EngineStart): Promise<void> => {
  const calls = earlyCalls(port)
  const box = outbox((message) => port.postMessage(message))
  const program = Effect.gen(function*() {
    const engine = yield* runEngine(options, box.notify, calls.onClose, box.flush)
    box.send({ _tag: "Ready" })
    return yield* serve(calls, box, engine)
  }).pipe(Effect.scoped)
  const exit = await Effect.runPromiseExit(program)
  box.send(Exit.isSuccess(exit) ? exit.value : { _tag: "Refused", message: reasonOf(exit.cause) })
  box.flush()
  port.close()
}

// Calls are the messages after the first one.
port.once("message", (message: EngineStart) => void start(message))
