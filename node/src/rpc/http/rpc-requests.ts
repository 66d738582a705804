import * as Effect from "effect/Effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { type Caller, isAllowed } from "../auth/caller.ts"
import { dispatch, type Target } from "../dispatch/dispatch.ts"
import { calledMethods, readBody } from "../dispatch/request-body.ts"
import type { JsonRead } from "../json/json-value.ts"
import {
  type HttpAnswer,
  jsonAnswer,
  needsAdmin,
  OVERLOADED,
  sendAnswer,
  STOPPING,
  tooLarge,
  UNAUTHORIZED
} from "./http-answer.ts"
import { receiveBody } from "./read-request.ts"
import type { WorkQueue } from "./work-queue.ts"

/** A wrong credential is answered late, which makes guessing slow. */
const REFUSAL_DELAY_MS = 250

/** What answering a call takes. */
export interface RpcRequests {
  readonly target: Target
  readonly callerOf: (authorization: string | undefined) => Caller
  readonly queue: WorkQueue
  readonly maxBytes: number
  /** How long a client may take to read its answer. */
  readonly timeoutMs: number
  readonly isStopping: () => boolean
  readonly run: (effect: Effect.Effect<void>) => void
}

/** The first method among those called that the caller may not call. */
const forbidden = (body: JsonRead | undefined, caller: Caller, { methods }: Target): string | undefined =>
  calledMethods(body).find((name) => !isAllowed(caller, methods.get(name)?.privilege ?? "anyone"))

const answerTo = (bytes: Uint8Array, caller: Caller, target: Target): Effect.Effect<HttpAnswer> => {
  const body = readBody(bytes)
  const denied = forbidden(body, caller, target)
  if (denied !== undefined) return Effect.succeed(needsAdmin(denied))
  return Effect.map(dispatch(body, target), ({ body: text, status }) =>
    jsonAnswer(status, text === undefined ? undefined : `${text}\n`))
}

const refuseLate = (request: IncomingMessage, response: ServerResponse, run: RpcRequests["run"]): void => {
  const timer = setTimeout(() => sendAnswer(response, UNAUTHORIZED), REFUSAL_DELAY_MS)
  response.once("close", () => clearTimeout(timer))
  run(Effect.logWarning("wrong RPC credentials").pipe(
    Effect.annotateLogs({ category: "rpc", from: request.socket.remoteAddress ?? "a closed connection" })
  ))
}

/** Takes one request with calls from its head to the end of its answer. */
export const takeRpcRequest = (request: IncomingMessage, response: ServerResponse, server: RpcRequests): void => {
  const { callerOf, isStopping, maxBytes, queue, run, target, timeoutMs } = server
  // A body that nobody wants is let go by as it comes: whoever is still sending it would not see an answer otherwise.
  const refuse = (answer: HttpAnswer): void => {
    request.resume()
    sendAnswer(response, answer, isStopping())
  }
  if (isStopping()) return refuse(STOPPING)
  const caller = callerOf(request.headers.authorization)
  if (caller === "refused") {
    if (request.headers.authorization === undefined) return refuse(UNAUTHORIZED)
    request.resume()
    return refuseLate(request, response, run)
  }
  if (!queue.enter()) return refuse(OVERLOADED)
  response.once("close", queue.leave)
  receiveBody(request, response, maxBytes, (received) => {
    if (received._tag === "Gone") return undefined
    if (received._tag === "TooLarge") return refuse(tooLarge(maxBytes))
    return run(Effect.map(answerTo(received.bytes, caller, target), (answer) => {
      // From here on it is the client who may be slow.
      response.setTimeout(timeoutMs, () => response.destroy())
      sendAnswer(response, answer, isStopping())
    }))
  })
}
