import { type IpcError, ipcErrorOf, type ModuleMessageOf } from "@lockstep/protocol/module-ipc/index.ts"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { ensuring } from "../../finalizers/finalizers.ts"
import type { ConnectionEnd } from "./connection.ts"
import { within } from "./time-limit.ts"

/** Invocations of one module that are under way. */
export const MAX_INVOCATIONS_AT_ONCE = 64

type Invocation = ModuleMessageOf<"Invocation">["invocation_type"]
type InvocationAnswer = NonNullable<ModuleMessageOf<"InvocationResult">["payload"]>

/** What the node asks of one module. */
export interface Invocations {
  /** Asks the module for something. Fails where it refuses, takes too long, has too much to do, or is gone. */
  readonly invoke: (invocation: Invocation) => Effect.Effect<InvocationAnswer, IpcError>
  /** Takes an answer. One to nothing that still waits has no effect. */
  readonly settle: (result: ModuleMessageOf<"InvocationResult">) => Effect.Effect<void>
  /** Everything that waits fails: the module is gone. */
  readonly endAll: Effect.Effect<void>
}

/** How one module is asked. */
interface InvocationOptions {
  readonly module: string
  readonly limitMs: number
  readonly send: (message: ModuleMessageOf<"Invocation">) => Effect.Effect<void, ConnectionEnd>
}

const failed = (kind: IpcError["kind"], text: string): IpcError => ({ kind, text })

const CODE = /^\{"code":(-?\d{1,5})\}$/

/** The code in the payload of a call that failed. */
const codeIn = (payload: InvocationAnswer | undefined): number | undefined => {
  const code = payload?._tag === "Rpc" ? CODE.exec(payload.result)?.[1] : undefined
  return code === undefined ? undefined : Number(code)
}

const refusal = (error: string, code: number | undefined): IpcError => ({
  ...ipcErrorOf(error),
  ...code !== undefined && { code }
})

const answerIn = (
  { error, payload, success }: ModuleMessageOf<"InvocationResult">
): Effect.Effect<InvocationAnswer, IpcError> =>
  success && payload !== undefined
    ? Effect.succeed(payload)
    : Effect.fail(refusal(error ?? "the module answered nothing", codeIn(payload)))

/** The invocations of one module, of which none is under way. */
export const openInvocations = ({ limitMs, module, send }: InvocationOptions): Invocations => {
  const waiting = new Map<bigint, Deferred.Deferred<InvocationAnswer, IpcError>>()
  let nextId = 1n

  const invoke = (invocation_type: Invocation): Effect.Effect<InvocationAnswer, IpcError> =>
    Effect.gen(function*() {
      if (waiting.size >= MAX_INVOCATIONS_AT_ONCE) {
        return yield* Effect.fail(failed("ResourceExhausted", `${module} has too many calls under way`))
      }
      const correlation_id = nextId++
      const answer = yield* Deferred.make<InvocationAnswer, IpcError>()
      waiting.set(correlation_id, answer)
      const asked = Effect.mapError(
        send({ _tag: "Invocation", correlation_id, invocation_type }),
        ({ reason }) => failed("ConnectionError", reason)
      )
      const timeout = (): IpcError => failed("Timeout", `${module} did not answer within ${limitMs} ms`)
      return yield* within(Effect.andThen(asked, Deferred.await(answer)), limitMs, timeout).pipe(
        ensuring(Effect.sync(() => waiting.delete(correlation_id)))
      )
    })

  return {
    invoke,
    settle: (result) =>
      Effect.suspend(() => {
        const answer = waiting.get(result.correlation_id)
        return answer === undefined ? Effect.void : Effect.asVoid(Deferred.complete(answer, answerIn(result)))
      }),
    endAll: Effect.suspend(() =>
      Effect.forEach(
        [...waiting.values()],
        (answer) => Deferred.fail(answer, failed("ConnectionError", "the module is gone")),
        { discard: true }
      )
    )
  }
}
