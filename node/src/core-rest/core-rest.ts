import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { IncomingMessage, ServerResponse } from "node:http"
import { coreRefusal } from "../http/core-refusals.ts"
import { type HttpAnswer, OVERLOADED } from "../http/http-answer.ts"
import { type Hold, takeRequest } from "../http/take-request.ts"
import { SharedRequests } from "../http/shared-requests.ts"
import { QueriedNode } from "../queries/query-node.ts"
import { answerPath, CORE_REST_PREFIX } from "./answer-path.ts"

/** Returns the answer, or a refusal if too much memory is held already. */
const bounded = (answer: HttpAnswer, hold: Hold): HttpAnswer =>
  answer.body === undefined || hold(answer.body.length) ? answer : coreRefusal(OVERLOADED)

/** Bitcoin Core's REST interface without credentials. It shares the addresses of RPC and the limits of its callers. */
export const coreRestLayer: Layer.Layer<never, never, SharedRequests | QueriedNode> = Layer.effectDiscard(
  Effect.gen(function*() {
    const { mount, requests } = yield* SharedRequests
    const target = yield* QueriedNode
    const anonymous = { ...requests, callerOf: () => "anonymous" as const }
    const listener = (request: IncomingMessage, response: ServerResponse): void => {
      const { method = "GET", url = CORE_REST_PREFIX } = request
      takeRequest(
        request,
        response,
        anonymous,
        (body, _, hold) => Effect.map(answerPath(method, url, body, target), (answer) => bounded(answer, hold))
      )
    }
    yield* mount(CORE_REST_PREFIX, listener)
  })
)
