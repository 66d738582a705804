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

/** How long each step may take. */
export interface SessionTimes {
  /** From the connection to the handshake. */
  readonly handshakeMs: number
  /** An answer to a request, and the module's reading of a message. */
  readonly requestMs: number
  /** A module's answer to an invocation. */
  readonly invocationMs: number
}

export const SESSION_TIMES: SessionTimes = { handshakeMs: 5_000, requestMs: 30_000, invocationMs: 60_000 }

/** Messages of one module that are taken before other parts of the node have their turn. */
const MOST_IN_ONE_TURN = 64

/** How long the reason for the end of a connection may take on its way to the module. */
const LAST_WORDS_MS = 1_000

/** What the node knows of the module that it started, and how it serves it. */
export interface SessionOptions extends HandshakeTerms, AnswerTerms {
  /** Writes a line of the module to the log. */
  readonly log: (line: ModuleMessageOf<"Log">) => Effect.Effect<void>
  readonly times?: SessionTimes
}

/** A module that has shaken hands. */
export interface ModuleSession {
  /** Serves the module until the connection ends, and fails with the reason. */
  readonly serve: Effect.Effect<never, ConnectionEnd>
  readonly sendEvent: (payload: ModuleEventPayload) => Effect.Effect<void, ConnectionEnd>
  /** The way of events that may wait a little for others. */
  readonly outlet: EventOutlet<ConnectionEnd>
  /** Asks the module for something. */
  readonly invoke: Invocations["invoke"]
  readonly requests: () => RequestStatistics
}

const doesNotRead = (): ConnectionEnd => protocolEnd("the module does not read what it is sent")
const failed = (kind: IpcError["kind"], text: string): IpcError => ({ kind, text })

/**
 * Shakes hands with a module over its connection. Nothing is answered before, and a module that names another spawn, name or
 * version is refused with a reason. The connection ends with the scope.
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

  /** Takes what has arrived, until something has to be waited for or others must have their turn. */
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

  /** A module that is gone, or does not read, misses its last words. */
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
