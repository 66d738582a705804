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

/** A wrong credential is answered late, which makes guessing slow. */
const REFUSAL_DELAY_MS = 250

/** Everything that taking a request needs, whichever server it comes to. */
export interface HttpRequests {
  readonly callerOf: (authorization: string | undefined) => Caller
  /** The caller with a certificate that proves this identity; none: it is not known. */
  readonly certificateCaller?: ((identity: string) => Caller | undefined) | undefined
  readonly mayCall: MayCall
  /** Whether requests from an address are answered. */
  readonly isAllowed: (address: string) => boolean
  readonly queue: WorkQueue
  readonly limits: CallerLimits
  readonly figures: Pick<CallFigures, "entered" | "left" | "refused">
  readonly maxBytes: number
  /** How long a client may take to read its answer. */
  readonly timeoutMs: Milliseconds
  readonly isStopping: () => boolean
  /** Answers how to interrupt what runs. */
  readonly run: (effect: Effect.Effect<void>) => () => void
  /** Makes refusals, where their form is not that of our RPC. */
  readonly refusal?: (answer: HttpAnswer, request: IncomingMessage) => HttpAnswer
}

/** A refusal in the form of the server. */
export const shaped = (
  answer: HttpAnswer,
  request: IncomingMessage,
  { refusal }: Pick<HttpRequests, "refusal">
): HttpAnswer => refusal === undefined ? answer : refusal(answer, request)

/** Sets memory aside for this request until its answer is out; not, when too much is held already. */
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

/** What a caller is known by: its header, or its certificate. */
const credentialOf = ({ headers: { authorization }, socket }: IncomingMessage): string | undefined => {
  const identity = provedIdentity(socket)
  return authorization ?? (identity === undefined ? undefined : `certificate ${identity}`)
}

/** The caller; none: the request has its answer already, since its credentials are wrong or were wrong too often. */
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
  /** Whether it is so little that a request may wait with it. */
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

/** Bytes a second that a client takes at least, beside what it is given in any case. */
const SLOWEST_READER = 16_384

/** An answer that the client does not take is not kept for it forever. */
const limitReading = (response: ServerResponse, timeoutMs: Milliseconds): void => {
  const giveUp = (): void => void response.destroy()
  response.setTimeout(timeoutMs, giveUp)
  const end = setTimeout(giveUp, timeoutMs + response.writableLength / SLOWEST_READER * 1_000)
  response.once("close", () => clearTimeout(end))
}

/**
 * Takes one request from its head to the end of its answer; `answer` makes the answer of one that is accepted. It has a
 * place in the queue from when all of it is here until its answer is made: slow clients do not delay other calls.
 */
export const takeRequest = (
  request: IncomingMessage,
  response: ServerResponse,
  server: HttpRequests,
  answer: (bytes: Uint8Array, asker: Asker, hold: Hold) => Effect.Effect<HttpAnswer>
): void => {
  const { figures, isStopping, limits, maxBytes, queue, run, timeoutMs } = server
  // The body of a refused request is read and dropped: a client that is still sending would not see the answer
  // otherwise.
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
      // From here on the client may be slow.
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
    // The call runs to its end, but does not wait for the chain on behalf of a client that has gone.
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
