import {
  type IpcError,
  ipcErrorText,
  type ModuleEventPayload,
  moduleEvent,
  type ModuleMessage,
  type ModuleMessageOf,
  moduleRefusal
} from "@lockstep/protocol/module-ipc/index.ts"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { addFinalizer, ensuring } from "../../finalizers/finalizers.ts"
import type { EventOutlet } from "../events/module-channel.ts"
import { type ConnectionEnd, type ModuleConnection, protocolEnd } from "./connection.ts"
import { type HandshakeTerms, shakeHands } from "./handshake.ts"
import { type Invocations, openInvocations } from "./invocations.ts"
import { type AnswerTerms, requestAnswers, type RequestStatistics } from "./request-answers.ts"
import { within } from "./time-limit.ts"

/** Time limits of the steps of a session, in milliseconds. */
export interface SessionTimes {
  /** From the connection to the handshake. */
  readonly handshakeMs: number
  /** For the answer to a request, and for the module to read a message. */
  readonly requestMs: number
  /** For a module's answer to an invocation. */
  readonly invocationMs: number
}

export const SESSION_TIMES: SessionTimes = { handshakeMs: 5_000, requestMs: 30_000, invocationMs: 60_000 }

/** Messages of one module that are handled before other parts of the node have their turn. */
const MOST_IN_ONE_TURN = 64

/** Time limit for sending the module the reason for the end of the connection. */
const LAST_WORDS_MS = 1_000

/** Expected handshake of a module that the node started, and the handlers of its requests. */
export interface SessionOptions extends HandshakeTerms, AnswerTerms {
  /** Writes a line of the module to the log. */
  readonly log: (line: ModuleMessageOf<"Log">) => Effect.Effect<void>
  readonly times?: SessionTimes
}

/** A module that completed the handshake. */
export interface ModuleSession {
  /** Serves the module until the connection ends, and fails with the reason. */
  readonly serve: Effect.Effect<never, ConnectionEnd>
  readonly sendEvent: (payload: ModuleEventPayload) => Effect.Effect<void, ConnectionEnd>
  /** Output of events that may be delayed to be written together. */
  readonly outlet: EventOutlet<ConnectionEnd>
  /** Calls the module. */
  readonly invoke: Invocations["invoke"]
  readonly requests: () => RequestStatistics
}

const doesNotRead = (): ConnectionEnd => protocolEnd("the module does not read what it is sent")
const failed = (kind: IpcError["kind"], text: string): IpcError => ({ kind, text })

/**
 * Performs the handshake with a module over its connection. Nothing is answered before, and a module that names another
 * id, name or version is refused with a reason. The connection ends with the scope.
 */
export const openModuleSession = Effect.fnUntraced(function*(
  connection: ModuleConnection,
  options: SessionOptions
): Effect.fn.Return<ModuleSession, ConnectionEnd, Scope.Scope> {
  const times = options.times ?? SESSION_TIMES

  const inTime = (waiting: Effect.Effect<void, ConnectionEnd>) => within(waiting, times.requestMs, doesNotRead)
  const sent = (message: ModuleMessage): Effect.Effect<void, ConnectionEnd> => connection.send(message, inTime)
  const sendNow = (message: ModuleMessage) => connection.sendNow(message, inTime)

  const invocations = openInvocations({ module: options.name, limitMs: times.invocationMs, send: sent })

  const answers = yield* requestAnswers({ ...options, limitMs: times.requestMs, send: sent, sendNow })

  const take = (
    message: ModuleMessage,
    end: Deferred.Deferred<never, ConnectionEnd>
  ): Effect.Effect<void, ConnectionEnd, Scope.Scope> | undefined => {
    switch (message._tag) {
      case "Request":
        return answers.take(message, end)
      case "Log":
        return options.log(message)
      case "InvocationResult":
        return invocations.settle(message)
      default:
        return protocolEnd(`a ${message._tag} is for a module, not for the node`)
    }
  }

  /** Handles the messages that have arrived, until something must be waited for or other parts must have their turn. */
  const step = (end: Deferred.Deferred<never, ConnectionEnd>): Effect.Effect<void, ConnectionEnd, Scope.Scope> =>
    Effect.suspend(() => {
      for (let taken = 0; taken < MOST_IN_ONE_TURN; taken++) {
        const arrived = connection.arrived()
        if (Result.isFailure(arrived)) return Effect.fail(arrived.failure)
        if (arrived.success === undefined) {
          return Effect.flatMap(connection.receive, (message) => take(message, end) ?? Effect.void)
        }
        const left = take(arrived.success, end)
        if (left !== undefined) return left
      }
      return Effect.yieldNow
    })

  /** Sends the fault to the module. A module that is disconnected, or does not read, misses it. */
  const sendFault = (end: ConnectionEnd): Effect.Effect<void> =>
    end.isProtocol
      ? Effect.ignore(Effect.timeout(
        connection.sendLast(moduleRefusal(0n, ipcErrorText(failed("ProtocolError", end.reason)))),
        Math.min(LAST_WORDS_MS, times.requestMs)
      ))
      : Effect.void

  const serve = Effect.scoped(Effect.gen(function*() {
    const end = yield* Deferred.make<never, ConnectionEnd>()
    if (first !== undefined) yield* take(first, end) ?? Effect.void
    return yield* Effect.raceFirst(Effect.forever(step(end)), Deferred.await(end))
  })).pipe(
    Effect.tapError(sendFault),
    ensuring(Effect.andThen(connection.destroy, invocations.endAll))
  )

  yield* addFinalizer(() => connection.destroy)
  const first = yield* within(
    shakeHands(connection, options),
    times.handshakeMs,
    () => protocolEnd("no handshake in time")
  )
  const sendEvent: ModuleSession["sendEvent"] = (payload) => sent(moduleEvent(payload))
  return {
    serve,
    sendEvent,
    outlet: { post: connection.post, flush: connection.flush, send: sendEvent },
    invoke: invocations.invoke,
    requests: answers.statistics
  }
})
