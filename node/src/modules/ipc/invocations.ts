import { type IpcError, ipcErrorOf, type ModuleMessageOf } from "@lockstep/protocol/module-ipc/index.ts"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { ensuring } from "../../finalizers/finalizers.ts"
import type { ConnectionEnd } from "./connection.ts"
import { within } from "./time-limit.ts"

/** Maximum number of concurrent invocations of one module. */
export const MAX_INVOCATIONS_AT_ONCE = 64

type Invocation = ModuleMessageOf<"Invocation">["invocation_type"]
type InvocationAnswer = NonNullable<ModuleMessageOf<"InvocationResult">["payload"]>

/** Calls that the node makes to one module. */
export interface Invocations {
  /** Calls the module. Fails if it refuses, takes too long, has too many calls or is disconnected. */
  readonly invoke: (invocation: Invocation) => Effect.Effect<InvocationAnswer, IpcError>
  /** Completes the invocation that a result belongs to. A result without a waiting invocation has no effect. */
  readonly settle: (result: ModuleMessageOf<"InvocationResult">) => Effect.Effect<void>
  /** Fails all waiting invocations, since the module is disconnected. */
  readonly endAll: Effect.Effect<void>
}

/** Options for the invocations of one module. */
interface InvocationOptions {
  readonly module: string
  readonly limitMs: number
  readonly send: (message: ModuleMessageOf<"Invocation">) => Effect.Effect<void, ConnectionEnd>
}

const failed = (kind: IpcError["kind"], text: string): IpcError => ({ kind, text })

const CODE = /^\{"code":(-?\d{1,5})\}$/

/** Parses the error code in the payload of a failed call. */
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

/** Opens the invocations of one module. */
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
