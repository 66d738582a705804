import * as Effect from "effect/Effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { isAllowed, type Privilege } from "../http/auth/caller.ts"
import { userOf } from "../http/auth/method-whitelist.ts"
import { mapAtOnce } from "../http/at-once.ts"
import { type HttpAnswer, jsonAnswer, needsAdmin, notWhitelisted, OVERLOADED, tooMany } from "../http/http-answer.ts"
import type { Asker } from "../http/limits/rate-limits.ts"
import { type Hold, type HttpRequests, shaped, takeRequest } from "../http/take-request.ts"
import { JsonMembers, type JsonRead } from "../json/json-value.ts"
import { LongText } from "../json/long-text.ts"
import { readBody, valuesIn } from "../json/read-body.ts"
import type { TraceEvent } from "../runtime/trace.ts"
import { type CallTarget, dispatch } from "./dispatch/dispatch.ts"

/** Everything needed to answer a call. */
export interface RpcRequests extends HttpRequests {
  readonly target: CallTarget
  /** Traces calls for a detailed log; `undefined` if no log needs them. */
  readonly trace?: ((happening: TraceEvent) => void) | undefined
}

/** Returns the names of the methods that a body calls. */
export const calledMethods = (body: JsonRead | undefined): ReadonlyArray<string> => {
  const calls = Array.isArray(body) ? body : [body]
  return calls.flatMap((call) => {
    const name = call instanceof JsonMembers ? call.get("method") : undefined
    return typeof name === "string" ? [name] : []
  })
}

/** Returns the refusal for the first called method that the caller may not call. */
const forbidden = (
  body: JsonRead | undefined,
  asker: Asker,
  { mayCall, target: { methods, moduleMethod } }: RpcRequests
): HttpAnswer | undefined => {
  const called = calledMethods(body)
  const unlisted = called.find((name) => !mayCall(asker, name))
  if (unlisted !== undefined) return notWhitelisted(unlisted, userOf(asker))
  // The node cannot know what a module's method does. One that replaces a method of the node keeps the privilege of
  // that method.
  const privilegeOf = (name: string): Privilege =>
    methods.get(name)?.privilege ?? (moduleMethod?.(name) === undefined ? "anyone" : "admin")
  const denied = called.find((name) => !isAllowed(asker.caller, privilegeOf(name)))
  return denied === undefined ? undefined : needsAdmin(denied)
}

/** Approximate memory of one parsed JSON value, in bytes. */
const VALUE_BYTES = 128

const answerTo = (
  bytes: Uint8Array,
  asker: Asker,
  server: RpcRequests,
  { hold, refused }: { readonly hold: Hold; readonly refused: (answer: HttpAnswer) => HttpAnswer }
): Effect.Effect<HttpAnswer> => {
  const { figures, limits, target } = server
  const body = readBody(bytes)
  const denied = forbidden(body, asker, server)
  if (denied !== undefined) return Effect.succeed(refused(denied))
  if (!hold(valuesIn(body) * VALUE_BYTES)) {
    figures.refused("overload")
    return Effect.succeed(refused(OVERLOADED))
  }
  const wait = Array.isArray(body) ? limits.charge(asker, body.length) : 0
  if (wait > 0) {
    figures.refused("rate")
    return Effect.succeed(refused(tooMany(wait)))
  }
  const { trace } = server
  const traced: CallTarget = trace === undefined
    ? target
    : { ...target, traced: (method, id) => trace({ _tag: "RpcCall", method, user: userOf(asker), id }) }
  return mapAtOnce(
    dispatch(body, traced, hold),
    ({ body: text, status }) => jsonAnswer(status, text instanceof LongText ? text.bytes("\n") : text && `${text}\n`)
  )
}

/** Handles one HTTP request that contains calls. */
export const takeRpcRequest = (request: IncomingMessage, response: ServerResponse, server: RpcRequests): void =>
  takeRequest(request, response, server, (bytes, asker, hold) => {
    const refused = (answer: HttpAnswer): HttpAnswer => shaped(answer, request, server)
    return answerTo(bytes, asker, server, { hold, refused })
  })
