import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { wallClock } from "../clock.ts"
import { randomUUID } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { HostPort } from "../config/config.ts"
import { printHostPort } from "../config/host-port.ts"
import { addFinalizer } from "../finalizers/finalizers.ts"
import { NOT_ALLOWED, sendAnswer } from "../http/http-answer.ts"
import { httpServer } from "../http/http-server.ts"
import { type HttpRequests, takeRequest } from "../http/take-request.ts"
import { workQueue } from "../http/work-queue.ts"
import { SharedRequests } from "../http/shared-requests.ts"
import { CalledNode } from "../methods/definition/method-node.ts"
import type { HttpServerError } from "../http/http-server-error.ts"
import { answerRestRequest, OPENAPI_PATH, PREFIX } from "./answer-request.ts"
import { refusalAnswer } from "./envelope.ts"
import { matchRoute } from "./match-route.ts"
import { openApiAnswer } from "./openapi/openapi-answer.ts"
import { ROUTES } from "./routes/table.ts"

/** The REST server, which runs as long as its layer. */
export class RestServer extends Context.Service<RestServer, {
  /** The endpoint on which it listens. */
  readonly address: HostPort
}>()("@node/rest/RestServer") {}

/** Maximum size of a body that is no block, in bytes. */
const MAX_BODY = 1024 * 1024

const REQUEST_ID = /^[\w.-]{1,64}$/

const requestIdOf = ({ headers }: IncomingMessage): string => {
  const given = headers["x-request-id"]
  return typeof given === "string" && REQUEST_ID.test(given) ? given : randomUUID()
}

const pathOf = (whole: string): string | undefined =>
  whole === PREFIX ? "/" : whole.startsWith(`${PREFIX}/`) ? whole.slice(PREFIX.length) : undefined

const restServer = Effect.fnUntraced(function*(bind: HostPort, depth: number) {
  const { requests: shared } = yield* SharedRequests
  const target = yield* CalledNode
  const queue = workQueue(depth)
  const now = yield* wallClock
  let isStopping = false
  const requests: HttpRequests = {
    ...shared,
    queue,
    isStopping: () => isStopping || shared.isStopping(),
    refusal: (answer, request) => refusalAnswer(answer, { requestId: requestIdOf(request), now })
  }
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const { headers, method: verb = "GET", url = "/" } = request
    const requestId = requestIdOf(request)
    if (!shared.isAllowed(request.socket.remoteAddress ?? "")) {
      request.resume()
      return sendAnswer(response, refusalAnswer(NOT_ALLOWED, { requestId, now }))
    }
    const [whole = "/", query = ""] = url.split(/\?(.*)/s, 2)
    const path = pathOf(whole)
    const matched = path === undefined ? { _tag: "Nothing" as const } : matchRoute(ROUTES, verb, path)
    const takesLargeBody = matched._tag === "Route" && matched.route.bytesInput !== undefined
    const maxBytes = takesLargeBody ? shared.maxBytes : Math.min(shared.maxBytes, MAX_BODY)
    return takeRequest(request, response, { ...requests, maxBytes }, (body, asker) => {
      if (path === OPENAPI_PATH && (verb === "GET" || verb === "HEAD")) {
        return Effect.succeed(openApiAnswer(requestId, headers["if-none-match"]))
      }
      return answerRestRequest(matched, {
        verb,
        path,
        query: new URLSearchParams(query),
        body,
        contentType: headers["content-type"],
        accept: headers.accept,
        ifNoneMatch: headers["if-none-match"],
        requestId,
        now,
        caller: asker.caller,
        mayCall: (method) => shared.mayCall(asker, method)
      }, target)
    })
  }
  const address = yield* httpServer({
    bind,
    timeoutMs: shared.timeoutMs,
    listener,
    mayConnect: shared.limits.connect,
    whenQuiet: queue.whenEmpty,
    called: { name: "REST", setting: "[rest_api].listen_addr" }
  })
  yield* addFinalizer(() => Effect.sync(() => void (isStopping = true)))
  yield* Effect.logInfo("REST listens").pipe(Effect.annotateLogs({ category: "rpc", address: printHostPort(address) }))
  return RestServer.of({ address })
})

/** Returns the layer of the REST server. It has an address of its own and accepts the callers of RPC. */
export const restServerLayer = (
  bind: HostPort,
  workQueueDepth: number
): Layer.Layer<RestServer, HttpServerError, SharedRequests | CalledNode> =>
  Layer.effect(RestServer, restServer(bind, workQueueDepth))
