import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { parentPort, workerData } from "node:worker_threads"
import type { EngineMessage, EngineStart } from "./calls/engine-messages.ts"
import { serve } from "./calls/serve.ts"
import { runEngine } from "./run-engine.ts"

const port = parentPort!
const { options } = workerData as EngineStart

const say = (message: EngineMessage): void => port.postMessage(message)

const reasonOf = (cause: Cause.Cause<{ readonly message: string }>): string => {
  const error = Cause.findError(cause)
  return error._tag === "Success" ? error.success.message : Cause.pretty(cause)
}

const program = Effect.gen(function*() {
  const engine = yield* runEngine(options, (news) => say({ _tag: "News", news }))
  say({ _tag: "Ready" })
  return yield* serve(port, engine)
}).pipe(Effect.scoped)

const exit = await Effect.runPromiseExit(program)
say(Exit.isSuccess(exit) ? exit.value : { _tag: "Refused", message: reasonOf(exit.cause) })
port.close()
