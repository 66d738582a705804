import * as Effect from "effect/Effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { detailedAnswer, healthAnswer, type KnownHealth } from "../health/health-answer.ts"
import type { HealthReport } from "../health/health-report.ts"
import { PROMETHEUS_TYPE, prometheusText } from "../metrics/prometheus-text.ts"
import type { Sample } from "../metrics/sample.ts"
import type { Caller } from "../http/auth/caller.ts"
import { type HttpAnswer, jsonAnswer, sendAnswer, UNAUTHORIZED } from "../http/http-answer.ts"

/** Sources of the answers on the monitoring paths. */
export interface WatchedNode {
  readonly health: KnownHealth & { readonly check: (type: "manual") => Effect.Effect<HealthReport> }
  readonly samples: Effect.Effect<ReadonlyArray<Sample>>
  /** True if `/metrics` requires credentials. */
  readonly isGuarded: boolean
  /** Returns the caller of a request, or `undefined` if the request is refused because of its credentials. */
  readonly callerOf: (request: IncomingMessage, response: ServerResponse) => Caller | undefined
  readonly run: (effect: Effect.Effect<void>) => void
  readonly isStopping: () => boolean
}

const metricsAnswer = (samples: ReadonlyArray<Sample>): HttpAnswer => ({
  status: 200,
  body: prometheusText(samples),
  headers: { "Content-Type": PROMETHEUS_TYPE }
})

/** Handles a GET request of a monitoring path. Returns false for any other path. */
export const takeGetRequest = (
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  node: WatchedNode
): boolean => {
  const { callerOf, health, isGuarded, isStopping, run, samples } = node
  const send = (answer: HttpAnswer): void => sendAnswer(response, answer, isStopping())
  const short = healthAnswer(path, health)
  if (short !== undefined) {
    send(jsonAnswer(short.status, short.body))
    return true
  }
  if (path === "/health/detailed") {
    run(Effect.map(health.check("manual"), (report) => {
      const { body, status } = detailedAnswer(report)
      send(jsonAnswer(status, body))
    }))
    return true
  }
  if (path !== "/metrics") return false
  const caller = callerOf(request, response)
  if (caller === undefined) return true
  if (caller === "anonymous" && isGuarded) send(UNAUTHORIZED)
  else run(Effect.map(samples, (found) => send(metricsAnswer(found))))
  return true
}
