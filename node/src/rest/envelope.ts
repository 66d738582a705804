import { type ReadClock } from "../clock.ts"
import type { JsonValue } from "../json/json-value.ts"
import { writeJson } from "../json/write-json.ts"
import type { HttpAnswer } from "../http/http-answer.ts"
import { JSON_TYPE } from "./negotiate.ts"
import { codeWord, RestProblem } from "./rest-problem.ts"
import type { Page } from "./route.ts"

/** Version of the envelope. */
export const ENVELOPE_VERSION = "1.0"

type Headers = Readonly<Record<string, string>>

/** Metadata of an envelope. */
export interface About {
  readonly requestId: string
  readonly now: ReadClock
  readonly page?: Page | undefined
}

const metaOf = ({ now, page, requestId }: About) => ({
  timestamp: String(Math.floor(now() / 1_000)),
  version: ENVELOPE_VERSION,
  request_id: requestId,
  page: page === undefined ? undefined : { offset: page.offset, limit: page.limit, total: page.total }
})

/** Returns data in their envelope. `data` is JSON text. */
export const dataText = (data: string, about: About, links: Readonly<Record<string, string>> | undefined): string =>
  `{"data":${data},"meta":${writeJson(metaOf(about))}${links === undefined ? "" : `,"links":${writeJson(links)}`}}\n`

const detailsOf = ({ rpcCode }: RestProblem): JsonValue | undefined =>
  rpcCode === undefined ? undefined : { rpc_code: rpcCode }

/** Returns the answer for a problem. */
export const problemAnswer = (problem: RestProblem, about: About, headers: Headers = {}): HttpAnswer => {
  const { message, status, suggestions } = problem
  const error = {
    code: codeWord(status),
    message,
    details: detailsOf(problem),
    suggestions: suggestions.length === 0 ? undefined : suggestions
  }
  return {
    status,
    body: `${writeJson({ error, meta: metaOf({ ...about, page: undefined }) })}\n`,
    headers: { "Content-Type": JSON_TYPE, "Cache-Control": "no-store", "X-Request-Id": about.requestId, ...headers }
  }
}

const REFUSALS: Readonly<Record<number, string>> = {
  401: "The credentials are wrong, or missing",
  403: "This address is not allowed to call",
  413: "The body is too large",
  429: "Too many requests",
  503: "The node has no time for this request now"
}

/** Returns a refusal of the server in the form of REST, for requests that are not read. */
export const refusalAnswer = ({ headers: given, status }: HttpAnswer, about: About): HttpAnswer => {
  const kept = Object.entries(given).filter(([name]) => name !== "Content-Type")
  const problem = new RestProblem(status, REFUSALS[status] ?? "The request is refused")
  return problemAnswer(problem, about, Object.fromEntries(kept))
}
