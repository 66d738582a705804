import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { answerRestRequest } from "../../src/rest/answer-request.ts"
import { matchRoute } from "../../src/rest/match-route.ts"
import { ROUTES } from "../../src/rest/routes/table.ts"

const anyText = fc.string({ unit: "binary", maxLength: 40 })

const anyPath = fc.oneof(
  anyText.map((text) => `/${text}`),
  fc.tuple(fc.constantFrom(...ROUTES), fc.array(anyText)).map(([{ path }, texts]) =>
    path.replaceAll(/\{\w+\}/g, () => texts.pop() ?? "%")
  )
)

const anyRequest = fc.record({
  verb: fc.constantFrom("GET", "HEAD", "POST", "DELETE", "PUT", "OPTIONS"),
  path: anyPath,
  query: anyText,
  body: fc.oneof(fc.uint8Array({ maxLength: 60 }), fc.json().map((text) => new Uint8Array(Buffer.from(text)))),
  contentType: fc.option(
    fc.oneof(fc.constantFrom("application/json", "text/plain", "application/octet-stream"), anyText),
    { nil: undefined }
  ),
  accept: fc.option(fc.oneof(fc.constantFrom("*/*", "text/plain", "application/*;q=0.2"), anyText), { nil: undefined }),
  ifNoneMatch: fc.option(anyText, { nil: undefined }),
  caller: fc.constantFrom("anonymous" as const, "normal" as const, "admin" as const)
})

/** One that nothing is wrong with: chance alone seldom makes it. */
const PLAIN_REQUEST = {
  verb: "GET" as const,
  path: "/chain/tip",
  query: "",
  body: new Uint8Array(0),
  contentType: undefined,
  accept: undefined,
  ifNoneMatch: undefined,
  caller: "anonymous" as const
}

describe("any request", () => {
  it("has an answer in the envelope while the node starts", () => {
    const target = { methods: new Map(), node: () => "Starting…", calls: () => () => {} }
    const statuses = new Set<number>()
    fc.assert(
      fc.property(anyRequest, ({ query, ...request }) => {
        const matched = matchRoute(ROUTES, request.verb, request.path)
        const asked = {
          ...request,
          query: new URLSearchParams(query),
          requestId: "r",
          now: () => 1_700_000_000_000,
          mayCall: () => true
        }
        const { body, status } = Effect.runSync(answerRestRequest(matched, asked, target))
        statuses.add(status)
        assert.include([400, 403, 404, 405, 406, 415, 501, 503], status)
        const { error, meta } = JSON.parse(String(body))
        assert.isString(error.message)
        assert.strictEqual(meta.request_id, "r")
        assert.strictEqual(meta.timestamp, "1700000000")
      }),
      { numRuns: 2_000, examples: [[PLAIN_REQUEST]] }
    )
    for (const status of [400, 403, 404, 405, 406, 503]) assert.isTrue(statuses.has(status), String(status))
  })
})
