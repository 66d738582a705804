import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { answerRestRequest } from "../../src/rest/answer-request.ts"
import { pageLinks, pageOf } from "../../src/rest/paging.ts"
import { OPEN_READ, type Page, type Route } from "../../src/rest/route.ts"
import { JsonNumber } from "../../src/json/json-value.ts"
import type { MethodNode } from "../../src/methods/definition/method-node.ts"

const asked = (offset?: string, limit?: string) =>
  new Map(
    Object.entries({ offset, limit }).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, new JsonNumber(text)]]
    )
  )

describe("the part of a list that is wanted", () => {
  it.each<readonly [string | undefined, string | undefined, number, number]>([
    [undefined, undefined, 0, 25],
    ["7", "1", 7, 1],
    ["0", "100", 0, 100],
    ["99", undefined, 99, 25]
  ])("of offset %s and limit %s is %d and %d", (offset, limit, from, most) => {
    assert.deepStrictEqual(Result.getOrThrow(pageOf(asked(offset, limit), 30)), {
      offset: from,
      limit: most,
      total: 30
    })
  })

  it.each([["-1", "5", "offset must not be negative"], ["0", "0", "limit must be 1 to 100"], [
    "0",
    "101",
    "limit must be 1 to 100"
  ], ["1e300", "5", "offset must not be negative"]])("is none for offset %s and limit %s", (offset, limit, message) => {
    const refused = Result.match(pageOf(asked(offset, limit), 30), {
      onSuccess: () => "",
      onFailure: ({ status, message: said }) => `${status} ${said}`
    })
    assert.strictEqual(refused, `400 ${message}`)
  })
})

/** Where links lead: offset and limit of each. */
const linksOf = (offset: number, limit: number, total: number) =>
  Object.fromEntries(
    Object.entries(pageLinks("/p", new URLSearchParams("verbose=true"), { offset, limit, total })).map(
      ([name, link]) => {
        const { pathname, searchParams } = new URL(link, "http://a")
        assert.deepStrictEqual([pathname, searchParams.get("verbose")], ["/p", "true"])
        return [name, [Number(searchParams.get("offset")), Number(searchParams.get("limit"))]]
      }
    )
  )

describe("links beside a part of a list", () => {
  it.each([
    ["first", 0, 10, 30, { self: [0, 10], next: [10, 10] }],
    ["middle", 10, 10, 30, { self: [10, 10], prev: [0, 10], next: [20, 10] }],
    ["last, which ends where the list does", 20, 10, 30, { self: [20, 10], prev: [10, 10] }],
    ["last but one entry", 19, 10, 30, { self: [19, 10], prev: [9, 10], next: [29, 10] }],
    ["only", 0, 30, 30, { self: [0, 30] }],
    ["empty", 0, 10, 0, { self: [0, 10] }],
    ["second by one", 1, 10, 30, { self: [1, 10], prev: [0, 10], next: [11, 10] }],
    ["short second", 4, 10, 30, { self: [4, 10], prev: [0, 10], next: [14, 10] }],
    ["behind the end", 95, 10, 30, { self: [95, 10], prev: [20, 10] }]
  ])("of the %s lead to the others there are", (_, offset, limit, total, links) => {
    assert.deepStrictEqual(linksOf(offset, limit, total), links)
  })
})

/** What is answered for a route whose data and page a test says. */
const answered = (
  data: ReadonlyArray<string>,
  page: Page | undefined,
  ifNoneMatch?: string,
  verb: "GET" | "POST" = "GET"
) => {
  const route: Route = {
    ...OPEN_READ,
    verb,
    path: "/list",
    summary: "",
    inputs: [],
    result: Schema.Array(Schema.String).ast,
    isPaged: page !== undefined,
    answer: () => Effect.succeed(page === undefined ? { data } : { data, page })
  }
  const node = { activeCalls: { during: <A>(_: string, work: A): A => work } } as unknown as MethodNode
  const request = {
    verb,
    path: "/list",
    query: new URLSearchParams(),
    body: new Uint8Array(0),
    contentType: undefined,
    accept: undefined,
    ifNoneMatch,
    requestId: "r",
    now: () => 1_700_000_000_000 as never,
    caller: "anonymous" as const,
    mayCall: () => true
  }
  const matched = { _tag: "Route", route, segments: new Map() } as const
  return Effect.runSync(answerRestRequest(matched, request, { node: () => node }))
}

const tagOf = (...answer: Parameters<typeof answered>): string => String(answered(...answer).headers["ETag"])

describe("the tag of an answer over REST", () => {
  const PAGE = { offset: 0, limit: 2, total: 5 }

  it("is known to a client that has the same part of a list of the same length, which gets no content", () => {
    const tag = tagOf(["a", "b"], PAGE)
    const { body, status } = answered(["a", "b"], PAGE, tag)
    assert.deepStrictEqual([status, body], [304, undefined])
    assert.strictEqual(answered(["a", "b"], PAGE, `"x", ${tag}`).status, 304)
    assert.strictEqual(answered(["a", "b"], PAGE, "*").status, 304)
  })

  it.each<readonly [string, ReadonlyArray<string>, Page | undefined]>([
    ["total", ["a", "b"], { ...PAGE, total: 6 }],
    ["offset", ["a", "b"], { ...PAGE, offset: 1 }],
    ["limit", ["a", "b"], { ...PAGE, limit: 3 }],
    ["content", ["a", "c"], PAGE],
    ["kind, without parts", ["a", "b"], undefined]
  ])("is another for another %s", (_, data, page) => {
    const tag = tagOf(["a", "b"], PAGE)
    const { body, status } = answered(data, page, tag)
    assert.strictEqual(status, 200)
    assert.include(String(body), JSON.stringify(data))
    assert.notStrictEqual(tagOf(data, page), tag)
  })

  it("is none for what is not read, which is never stored", () => {
    const { headers, status } = answered(["a"], undefined, "*", "POST")
    assert.deepStrictEqual([status, headers["ETag"], headers["Cache-Control"]], [200, undefined, "no-store"])
  })
})
