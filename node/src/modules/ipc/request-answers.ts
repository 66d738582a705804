import {
  type IpcError,
  ipcErrorText,
  type ModuleMessage,
  type ModuleMessageOf,
  moduleRefusal,
  moduleResponse,
  type Permission,
  PERMISSION_OF_REQUEST,
  type RequestPayload,
  type ResponsePayload
} from "@lockstep/protocol/module-ipc/index.ts"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { ensuring, onInterrupt } from "../../finalizers/finalizers.ts"
import { type ConnectionEnd, protocolEnd } from "./connection.ts"
import { within } from "./time-limit.ts"

/**
 * Requests of one module that are answered at the same time; further ones wait in the module's socket. Each may hold a
 * block of 4 MB.
 */
export const MAX_REQUESTS_AT_ONCE = 16

/** A request that reaches the node's side: every one but the handshake. */
export type HandledRequest = Exclude<RequestPayload, { readonly _tag: "Handshake" }>

/** Which requests of a module are answered, and how. */
export interface AnswerTerms {
  readonly permissions: ReadonlySet<Permission>
  /** Answers a request whose permission was checked. */
  readonly handle: (request: HandledRequest) => Effect.Effect<ResponsePayload, IpcError>
}

/** How one module is answered. */
interface AnswerOptions extends AnswerTerms {
  readonly name: string
  readonly limitMs: number
  readonly send: (message: ModuleMessage) => Effect.Effect<void, ConnectionEnd>
}

/** Answers the requests of one module. */
export interface RequestAnswers {
  /** Starts with a request, after there is room for what it needs. What ends the connection later goes to `end`. */
  readonly take: (
    message: ModuleMessageOf<"Request">,
    end: Deferred.Deferred<never, ConnectionEnd>
  ) => Effect.Effect<void, ConnectionEnd, Scope.Scope>
}

const failed = (kind: IpcError["kind"], text: string): IpcError => ({ kind, text })

/** The answer to a request, or its refusal. */
const responseTo = ({ correlation_id }: ModuleMessageOf<"Request">, answer: Effect.Effect<ResponsePayload, IpcError>) =>
  Effect.match(answer, {
    onSuccess: (response) => moduleResponse(correlation_id, response),
    onFailure: (error) => moduleRefusal(correlation_id, ipcErrorText(error))
  })

/** The answers to the requests of one module, of which none is under way. */
export const requestAnswers = Effect.fnUntraced(function*(
  { handle, limitMs, name, permissions, send }: AnswerOptions
): Effect.fn.Return<RequestAnswers> {
  const requests = yield* Semaphore.make(MAX_REQUESTS_AT_ONCE)

  const handled = (payload: HandledRequest): Effect.Effect<ResponsePayload, IpcError> => {
    const permission = PERMISSION_OF_REQUEST[payload._tag]
    if (!permissions.has(permission)) {
      return Effect.fail(failed("PermissionDenied", `${payload._tag} needs ${permission}`))
    }
    return Effect.catchDefect(Effect.suspend(() => handle(payload)), (defect) =>
      Effect.andThen(
        Effect.logError(`the request ${payload._tag} of the module ${name} failed`, defect),
        Effect.fail(failed(undefined, `the node failed at ${payload._tag}`))
      ))
  }

  /** Starts with a request. Most are answered at once, and need neither a time limit nor a fiber of their own to wait in. */
  const take = Effect.fnUntraced(function*(
    message: ModuleMessageOf<"Request">,
    end: Deferred.Deferred<never, ConnectionEnd>
  ) {
    const { payload } = message
    if (payload._tag === "Handshake") return yield* protocolEnd("a second handshake")
    yield* requests.take(1)
    const handling = yield* Effect.forkScoped(handled(payload), { startImmediately: true })
    const ready = handling.pollUnsafe()
    if (ready !== undefined) {
      yield* requests.release(1)
      return yield* Effect.flatMap(responseTo(message, ready), send)
    }
    const timeout = (): IpcError => failed("Timeout", `${payload._tag} took more than ${limitMs} ms`)
    const waited = within(
      onInterrupt(Fiber.join(handling), () => Fiber.interrupt(handling)),
      limitMs,
      timeout
    )
    const work = ensuring(Effect.flatMap(responseTo(message, waited), send), requests.release(1))
    yield* Effect.forkScoped(Effect.catch(work, (cause) => Deferred.fail(end, cause)))
  })

  return { take }
})
