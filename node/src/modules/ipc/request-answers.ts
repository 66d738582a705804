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
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { ensuring, onInterrupt } from "../../finalizers/finalizers.ts"
import { type ConnectionEnd, protocolEnd } from "./connection.ts"
import { within } from "./time-limit.ts"

/**
 * Maximum number of concurrent requests of one module; further ones wait in its socket. Each may hold a block of 4 MB.
 */
export const MAX_REQUESTS_AT_ONCE = 16

/** A request other than the handshake. */
export type HandledRequest = Exclude<RequestPayload, { readonly _tag: "Handshake" }>

/** Permissions of a module and the handler of its requests. */
export interface AnswerTerms {
  readonly permissions: ReadonlySet<Permission>
  /** Handles a request whose permission was checked. */
  readonly handle: (request: HandledRequest) => Effect.Effect<ResponsePayload, IpcError>
}

/** Options for the answers to one module. */
interface AnswerOptions extends AnswerTerms {
  readonly name: string
  readonly limitMs: number
  readonly send: (message: ModuleMessage) => Effect.Effect<void, ConnectionEnd>
  /** Sends like `send`, at once. Returns the effect to wait for, or `undefined` if nothing has to be waited for. */
  readonly sendNow: (message: ModuleMessage) => Effect.Effect<void, ConnectionEnd> | undefined
}

/** Counts of the answered and refused requests of one module. */
export interface RequestStatistics {
  readonly answered: number
  readonly refused: number
}

/** Handles the requests of one module. */
export interface RequestAnswers {
  readonly statistics: () => RequestStatistics
  /**
   * Starts to handle a request. Returns what must be done before the next one, such as waiting for capacity, or
   * `undefined` if its answer is already sent. A later failure that ends the connection goes to `end`.
   */
  readonly take: (
    message: ModuleMessageOf<"Request">,
    end: Deferred.Deferred<never, ConnectionEnd>
  ) => Effect.Effect<void, ConnectionEnd, Scope.Scope> | undefined
}

const failed = (kind: IpcError["kind"], text: string): IpcError => ({ kind, text })

/** Builds the messages that answer requests, and counts them. */
const countedResponses = () => {
  const counts = { answered: 0, refused: 0 }
  const answered = ({ correlation_id }: ModuleMessageOf<"Request">, response: ResponsePayload): ModuleMessage => {
    counts.answered++
    return moduleResponse(correlation_id, response)
  }
  const refused = ({ correlation_id }: ModuleMessageOf<"Request">, error: IpcError): ModuleMessage => {
    counts.refused++
    return moduleRefusal(correlation_id, ipcErrorText(error))
  }
  return {
    statistics: (): RequestStatistics => ({ ...counts }),
    /** Builds the answer to a request, or its refusal. */
    responseTo: (request: ModuleMessageOf<"Request">, answer: Effect.Effect<ResponsePayload, IpcError>) =>
      Effect.match(answer, {
        onSuccess: (response) => answered(request, response),
        onFailure: (error) => refused(request, error)
      }),
    exitResponse: (request: ModuleMessageOf<"Request">, exit: Exit.Exit<ResponsePayload, IpcError>): ModuleMessage =>
      Exit.isSuccess(exit)
        ? answered(request, exit.value)
        : refused(
          request,
          Option.getOrElse(Exit.findErrorOption(exit), () => failed(undefined, "the request was interrupted"))
        )
  }
}

/** Opens the handling of the requests of one module. */
export const requestAnswers = Effect.fnUntraced(function*(
  { handle, limitMs, name, permissions, send, sendNow }: AnswerOptions
): Effect.fn.Return<RequestAnswers> {
  const requests = yield* Semaphore.make(MAX_REQUESTS_AT_ONCE)
  const { exitResponse, responseTo, statistics } = countedResponses()

  const defect = (payload: HandledRequest, cause: unknown): Effect.Effect<never, IpcError> =>
    Effect.andThen(
      Effect.logError(`the request ${payload._tag} of the module ${name} failed`, cause),
      Effect.fail(failed(undefined, `the node failed at ${payload._tag}`))
    )

  const handled = (payload: HandledRequest): Effect.Effect<ResponsePayload, IpcError> => {
    const permission = PERMISSION_OF_REQUEST[payload._tag]
    if (!permissions.has(permission)) {
      return Effect.fail(failed("PermissionDenied", `${payload._tag} needs ${permission}`))
    }
    try {
      return handle(payload)
    } catch (cause) {
      return defect(payload, cause)
    }
  }

  /** Sends an answer. If it is not ready at once, waits for it within the time limit, in a fiber of its own. */
  const answer = Effect.fnUntraced(function*(
    message: ModuleMessageOf<"Request">,
    payload: HandledRequest,
    handling: Effect.Effect<ResponsePayload, IpcError>,
    end: Deferred.Deferred<never, ConnectionEnd>
  ) {
    yield* requests.take(1)
    const started = yield* Effect.forkScoped(
      Effect.catchDefect(handling, (cause) => defect(payload, cause)),
      { startImmediately: true }
    )
    const ready = started.pollUnsafe()
    if (ready !== undefined) {
      yield* requests.release(1)
      return yield* Effect.flatMap(responseTo(message, ready), send)
    }
    const timeout = (): IpcError => failed("Timeout", `${payload._tag} took more than ${limitMs} ms`)
    const waited = within(
      onInterrupt(Fiber.join(started), () => Fiber.interrupt(started)),
      limitMs,
      timeout
    )
    const work = ensuring(Effect.flatMap(responseTo(message, waited), send), requests.release(1))
    yield* Effect.forkScoped(Effect.catch(work, (cause) => Deferred.fail(end, cause)))
  })

  /** Handles a request. One that is answered at once needs no fiber, no time limit and none of the permits. */
  const take: RequestAnswers["take"] = (message, end) => {
    const { payload } = message
    if (payload._tag === "Handshake") return protocolEnd("a second handshake")
    const handling = handled(payload)
    const ready = Exit.isExit(handling) ? handling as Exit.Exit<ResponsePayload, IpcError> : undefined
    return ready === undefined || Exit.hasDies(ready)
      ? answer(message, payload, handling, end)
      : sendNow(exitResponse(message, ready))
  }

  return { statistics, take }
})
