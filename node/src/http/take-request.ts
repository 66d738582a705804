import type { Milliseconds } from "../quantities.ts"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { IncomingMessage, ServerResponse } from "node:http"
import { onExit } from "../finalizers/finalizers.ts"
import type { Caller } from "./auth/caller.ts"
import type { MayCall } from "./auth/method-whitelist.ts"
import { attempt, valueAtOnce } from "./at-once.ts"
import type { CallFigures, RefusalReason } from "../metrics/call-figures.ts"
import type { Asker, CallerLimits } from "./limits/rate-limits.ts"
import { CallPlace } from "./call-place.ts"
import { type HttpAnswer, OVERLOADED, sendAnswer, STOPPING, tooLarge, tooMany, UNAUTHORIZED } from "./http-answer.ts"
import { provedIdentity } from "../quic/quic-socket.ts"
import { receiveBody } from "./read-request.ts"
import { SMALL_BYTES, type WorkQueue } from "./work-queue.ts"

/** Delay of the answer to wrong credentials, which slows down guessing. */
const REFUSAL_DELAY_MS = 250

/** Everything needed to handle a request, for any HTTP server of the node. */
export interface HttpRequests {
  readonly callerOf: (authorization: string | undefined) => Caller
  /** Returns the caller whose certificate proves this identity, or `undefined` if it is unknown. */
  readonly certificateCaller?: ((identity: string) => Caller | undefined) | undefined
  readonly mayCall: MayCall
  /** Reports whether requests from an address are allowed. */
  readonly isAllowed: (address: string) => boolean
  readonly queue: WorkQueue
  readonly limits: CallerLimits
  readonly figures: Pick<CallFigures, "entered" | "left" | "refused">
  readonly maxBytes: number
  /** Time that a client may take to read its answer. */
  readonly timeoutMs: Milliseconds
  readonly isStopping: () => boolean
  /** Runs an effect and returns a function that interrupts it. */
  readonly run: (effect: Effect.Effect<void>) => () => void
  /** Converts refusals to another form than that of our RPC. */
  readonly refusal?: (answer: HttpAnswer, request: IncomingMessage) => HttpAnswer
}

/** Returns a refusal in the form of the server. */
export const shaped = (
  answer: HttpAnswer,
  request: IncomingMessage,
  { refusal }: Pick<HttpRequests, "refusal">
): HttpAnswer => refusal === undefined ? answer : refusal(answer, request)

/** Reserves memory for a request until its answer is sent. Returns false if too much is held already. */
export type Hold = (bytes: number) => boolean

const refuseLate = (request: IncomingMessage, response: ServerResponse, server: HttpRequests): void => {
  const timer = setTimeout(() => sendAnswer(response, shaped(UNAUTHORIZED, request, server)), REFUSAL_DELAY_MS)
  response.once("close", () => clearTimeout(timer))
  server.run(
    Effect.logWarning("wrong RPC credentials").pipe(
      Effect.annotateLogs({ category: "rpc", from: request.socket.remoteAddress ?? "a closed connection" })
    )
  )
}

/** Returns the credential that identifies a caller: its header, or its certificate. */
const credentialOf = ({ headers: { authorization }, socket }: IncomingMessage): string | undefined => {
  const identity = provedIdentity(socket)
  return authorization ?? (identity === undefined ? undefined : `certificate ${identity}`)
}

/**
 * Returns the caller, or `undefined` if a refusal is sent because its credentials are wrong or were wrong too often.
 */
export const letIn = (request: IncomingMessage, response: ServerResponse, server: HttpRequests): Caller | undefined => {
  const { certificateCaller, figures, isStopping, limits } = server
  const { authorization } = request.headers
  const address = request.socket.remoteAddress ?? ""
  const refuse = (answer: HttpAnswer): undefined => {
    request.resume()
    sendAnswer(response, shaped(answer, request, server), isStopping())
  }
  const blocked = limits.blocked(address)
  if (blocked > 0) {
    figures.refused("blocked")
    return refuse(tooMany(blocked))
  }
  const identity = provedIdentity(request.socket)
  const proved = authorization === undefined && identity !== undefined ? certificateCaller?.(identity) : undefined
  const caller = proved ?? server.callerOf(authorization)
  if (caller !== "refused") return caller
  if (authorization === undefined) return refuse(UNAUTHORIZED)
  limits.failed(address)
  figures.refused("credentials")
  request.resume()
  refuseLate(request, response, server)
  return undefined
}

/** Memory that one request and its answer hold. */
interface Memory {
  readonly hold: Hold
  /** Reports whether it holds so little that its call may wait outside the queue. */
  readonly isLittle: () => boolean
  readonly release: () => void
}

const memoryOf = (response: ServerResponse, { hold, release }: WorkQueue): Memory => {
  let held = 0
  return {
    hold: (bytes) => {
      if (response.destroyed || !hold(bytes, held + bytes <= SMALL_BYTES)) return false
      held += bytes
      return true
    },
    isLittle: () => held <= SMALL_BYTES,
    release: () => {
      release(held)
      held = 0
    }
  }
}

/** Lowest accepted reading speed of a client in bytes per second, after an initial timeout. */
const SLOWEST_READER = 16_384

/** Closes the connection of a client that does not read its answer in time. */
const limitReading = (response: ServerResponse, timeoutMs: Milliseconds): void => {
  const giveUp = (): void => void response.destroy()
  response.setTimeout(timeoutMs, giveUp)
  const end = setTimeout(giveUp, timeoutMs + response.writableLength / SLOWEST_READER * 1_000)
  response.once("close", () => clearTimeout(end))
}

/**
 * Handles one request from its head to the end of its answer; `answer` makes the answer to an accepted one. It has a
 * slot in the queue only from its complete arrival until its answer is made: slow clients do not delay other calls.
 */
export const takeRequest = (
  request: IncomingMessage,
  response: ServerResponse,
  server: HttpRequests,
  answer: (bytes: Uint8Array, asker: Asker, hold: Hold) => Effect.Effect<HttpAnswer>
): void => {
  const { figures, isStopping, limits, maxBytes, queue, run, timeoutMs } = server
  // The body of a refused request is read and dropped, since a client that is still sending would not see the answer.
  const refuse = (refusal: HttpAnswer): void => {
    request.resume()
    sendAnswer(response, shaped(refusal, request, server), isStopping())
  }
  if (isStopping()) return refuse(STOPPING)
  const refuseFor = (reason: RefusalReason, refusal: HttpAnswer): void => {
    figures.refused(reason)
    refuse(refusal)
  }
  const caller = letIn(request, response, server)
  if (caller === undefined) return undefined
  const asker: Asker = {
    address: request.socket.remoteAddress ?? "",
    caller,
    authorization: credentialOf(request)
  }
  const wait = limits.admit(asker)
  if (wait > 0) return refuseFor("rate", tooMany(wait))
  const { hold, isLittle, release } = memoryOf(response, queue)
  let forsake: (() => void) | undefined
  queue.opened()
  response.once("close", () => {
    forsake?.()
    release()
    queue.closed()
  })
  const work = (bytes: Uint8Array): void => {
    const place = queue.enter(figures)
    if (place === undefined) return refuseFor("overload", OVERLOADED)
    const finish = (made: HttpAnswer): void => {
      place.leave()
      sendAnswer(response, made, isStopping())
      // From here on, a slow client can delay the answer.
      if (response.writableLength > 0) limitReading(response, timeoutMs)
    }
    const made = attempt(() => answer(bytes, asker, hold))
    const ready = valueAtOnce(made)
    if (ready !== undefined) return finish(ready.value)
    const callPlace = { stepAside: () => isLittle() && place.stepAside(), stepBack: place.stepBack }
    const stopWaiting = run(
      Effect.uninterruptible(Effect.map(made, finish)).pipe(
        Effect.provideService(CallPlace, callPlace),
        onExit((exit) =>
          Effect.sync(() => {
            place.leave()
            if (Exit.isFailure(exit)) response.destroy()
          })
        )
      )
    )
    // The call runs to its end, but stops waiting for the chain once its client has disconnected.
    forsake = () => {
      place.abandon()
      stopWaiting()
    }
  }
  receiveBody(request, response, maxBytes, hold, (received) => {
    if (received._tag === "Body") return work(received.bytes)
    if (received._tag === "TooLarge") return refuse(tooLarge(maxBytes))
    if (received._tag === "NoRoom") return refuseFor("overload", OVERLOADED)
    return undefined
  })
}
