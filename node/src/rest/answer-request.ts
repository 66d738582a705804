import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ReadClock } from "../clock.ts"
import { type Caller, isAllowed } from "../http/auth/caller.ts"
import type { CalledNode } from "../methods/definition/method-node.ts"
import type { HttpAnswer } from "../http/http-answer.ts"
import { writeJson } from "../json/write-json.ts"
import { type CallError, callError } from "../queries/call-error.ts"
import { errorOfCause } from "../queries/error-of-cause.ts"
import { isKnown, strongTag, weakTag } from "./entity-tag.ts"
import { dataText, problemAnswer } from "./envelope.ts"
import type { MatchedRoute } from "./match-route.ts"
import { BINARY_TYPE, HEX_TYPE, JSON_TYPE, negotiate } from "./negotiate.ts"
import { pageLinks } from "./paging.ts"
import { readInputs } from "./read-inputs.ts"
import { problemOf, RestProblem } from "./rest-problem.ts"
import type { Form, FoundResource, RequestInputs, Route } from "./route.ts"
import { missingPart } from "./routes/table.ts"

/** Prefix of every path. */
export const PREFIX = "/api/v1"

export const OPENAPI_PATH = "/openapi.json"

/** An accepted request. */
export interface RestRequest {
  readonly verb: string
  /** Path after the prefix; `undefined` if the path has another prefix. */
  readonly path: string | undefined
  readonly query: URLSearchParams
  readonly body: Uint8Array
  readonly contentType: string | undefined
  readonly accept: string | undefined
  readonly ifNoneMatch: string | undefined
  readonly requestId: string
  readonly now: ReadClock
  readonly caller: Caller
  /** Reports whether the whitelist allows this caller to call a method. */
  readonly mayCall: (method: string | undefined) => boolean
}

const PRIVATE = "private, max-age=31536000, immutable"
const NOT_STORED = "no-store"
const ASK_AGAIN = "private, no-cache"

const bytesOf = (digits: string, form: Form): string | Uint8Array =>
  form === "hex" ? `${digits}\n` : Buffer.from(digits, "hex")

const found = (route: Route, { data, page }: FoundResource, form: Form, request: RestRequest): HttpAnswer => {
  const { ifNoneMatch, now, path = "", query, requestId } = request
  const common = { "X-Request-Id": requestId, Vary: "Accept, Authorization" }
  const isJson = form === "json"
  const text = isJson ? writeJson(data) : String(data)
  const content = isJson
    ? dataText(text, { requestId, now, page }, page && pageLinks(PREFIX + path, query, page))
    : bytesOf(text, form)
  const headers = { ...common, "Content-Type": isJson ? JSON_TYPE : form === "hex" ? HEX_TYPE : BINARY_TYPE }
  if (route.verb !== "GET") return { status: 200, body: content, headers: { ...headers, "Cache-Control": NOT_STORED } }
  const tag = isJson ? weakTag(page === undefined ? text : text + writeJson({ ...page })) : strongTag(content)
  const cached = { ETag: tag, "Cache-Control": !isJson && route.isImmutable ? PRIVATE : ASK_AGAIN }
  return isKnown(tag, ifNoneMatch)
    ? { status: 304, body: undefined, headers: { ...common, ...cached } }
    : { status: 200, body: content, headers: { ...headers, ...cached } }
}

const refused = (
  problem: RestProblem,
  request: RestRequest,
  headers: Readonly<Record<string, string>> = {}
): HttpAnswer => problemAnswer(problem, request, problem.status === 503 ? { ...headers, "Retry-After": "1" } : headers)

const call = (
  route: Route,
  given: RequestInputs,
  form: Form,
  target: CalledNode["Service"]
): Effect.Effect<FoundResource, CallError | RestProblem> =>
  Effect.suspend(() => {
    const node = target.node()
    return typeof node === "string"
      ? Effect.fail(callError("InWarmup", node))
      : node.activeCalls.during(`${route.verb} ${PREFIX}${route.path}`, route.answer(given, node, form))
  }).pipe(
    Effect.catchCause((cause) =>
      Effect.flip(errorOfCause(cause, "a request failed inside the node", { path: route.path }))
    )
  )

const routed = (
  route: Route,
  segments: ReadonlyMap<string, string>,
  request: RestRequest,
  target: CalledNode["Service"]
): Effect.Effect<HttpAnswer> => {
  const { accept, caller, mayCall } = request
  if (!isAllowed(caller, route.privilege)) {
    return Effect.succeed(
      refused(new RestProblem(403, `${route.verb} ${PREFIX}${route.path} requires admin privileges`), request)
    )
  }
  if (!mayCall(route.method)) {
    return Effect.succeed(
      refused(
        new RestProblem(403, `${route.verb} ${PREFIX}${route.path} is not on the whitelist of this user`),
        request
      )
    )
  }
  const form = negotiate(accept, route.hasBytes)
  if (form === undefined) {
    const offered = route.hasBytes ? `${JSON_TYPE}, ${BINARY_TYPE} and ${HEX_TYPE}` : JSON_TYPE
    return Effect.succeed(refused(new RestProblem(406, `This resource comes as ${offered}`), request))
  }
  const given = readInputs(route, { ...request, segments })
  if (Result.isFailure(given)) return Effect.succeed(refused(given.failure, request))
  return Effect.match(call(route, given.success, form, target), {
    onFailure: (error) => refused(error instanceof RestProblem ? error : problemOf(error, route.statuses), request),
    onSuccess: (answer) => found(route, answer, form, request)
  })
}

const WHERE = `See ${PREFIX}${OPENAPI_PATH}`

const nowhere = ({ path = "", ...request }: RestRequest): HttpAnswer => {
  const part = missingPart(path)
  const problem = part === undefined
    ? new RestProblem(404, "There is no such resource", [WHERE])
    : new RestProblem(501, `This resource needs ${part}, which is not in this build`, [WHERE])
  return refused(problem, { path, ...request })
}

/** Returns the answer to a request whose path matched `matched`. */
export const answerRestRequest = (
  matched: MatchedRoute,
  request: RestRequest,
  target: CalledNode["Service"]
): Effect.Effect<HttpAnswer> => {
  if (matched._tag === "Route") return routed(matched.route, matched.segments, request, target)
  if (matched._tag === "Nothing") return Effect.succeed(nowhere(request))
  const verbs = matched.verbs.flatMap((verb) => verb === "GET" ? ["GET", "HEAD"] : [verb])
  const missing = missingPart(request.path ?? "")
  if (missing !== undefined) return Effect.succeed(nowhere(request))
  return Effect.succeed(
    refused(new RestProblem(405, `${request.verb} is not for this resource`), request, { Allow: verbs.join(", ") })
  )
}
