import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { matchRoute } from "../../src/rest/match-route.ts"
import { readInputs, type Sent } from "../../src/rest/read-inputs.ts"
import { type Input, OPEN_READ, type Route } from "../../src/rest/route.ts"
import { JsonNumber } from "../../src/json/json-value.ts"

const input = (name: string, place: Input["place"], kind: Input["kind"], required = false): Input => ({
  name,
  place,
  kind,
  description: `about ${name}`,
  required,
  standard: undefined,
  ast: Schema.String.ast
})

const routeAt = (path: string, changes: Partial<Route> = {}): Route => ({
  ...OPEN_READ,
  path,
  summary: "",
  inputs: [],
  result: Schema.String.ast,
  isPaged: false,
  answer: () => Effect.succeed({ data: null }),
  ...changes
})

const ROUTE = routeAt("/a/{hash}", {
  inputs: [
    input("hash", "path", "text", true),
    input("count", "query", "number"),
    input("verbose", "query", "boolean"),
    input("names", "query", "list"),
    input("hexstring", "body", "text")
  ]
})

/** What a request says, or the refusal of it with the suggestions in brackets. */
const read = (
  sent: Partial<Omit<Sent, "query" | "body">> & { query?: string; body?: string },
  route = ROUTE
): unknown =>
  Result.match(
    readInputs(route, {
      segments: new Map([["hash", "h"]]),
      contentType: undefined,
      ...sent,
      query: new URLSearchParams(sent.query ?? ""),
      body: new Uint8Array(Buffer.from(sent.body ?? "", "latin1"))
    }),
    {
      onFailure: ({ message, status, suggestions }) => [status, message, ...suggestions].join(" | "),
      onSuccess: (given) =>
        Object.fromEntries([...given].map(([name, value]) => [name, value instanceof JsonNumber ? +value.text : value]))
    }
  )

describe("what a request over REST says", () => {
  it.each<readonly [query: string, given: object]>([
    ["", {}],
    ["count=0", { count: 0 }],
    ["count=-1234567890123456", { count: -1_234_567_890_123_456 }],
    ["verbose=true", { verbose: true }],
    ["verbose=false", { verbose: false }],
    ["names=a,b,,c", { names: ["a", "b", "c"] }],
    ["names=", { names: [] }],
    ["verbose=true&count=5", { verbose: true, count: 5 }]
  ])("in the query %j is %j", (query, given) => {
    assert.deepStrictEqual(read({ query }), { hash: "h", ...given })
  })

  it.each([
    ["count=x", "400 | count must be an integer, not 'x'"],
    ["count=1.5", "400 | count must be an integer, not '1.5'"],
    ["count=", "400 | count must be an integer, not ''"],
    ["count=12345678901234567", "400 | count must be an integer, not '12345678901234567'"],
    ["verbose=1", "400 | verbose must be true or false, not '1'"],
    ["verbose=TRUE", "400 | verbose must be true or false, not 'TRUE'"],
    ["count=1&count=1", "400 | The query parameter count is given twice"],
    ["other=1", "400 | There is no query parameter other here | Known here: count, verbose, names"],
    // It stands in the path and in the body.
    ["hash=1", "400 | There is no query parameter hash here | Known here: count, verbose, names"],
    ["hexstring=1", "400 | There is no query parameter hexstring here | Known here: count, verbose, names"]
  ])("is refused for the query %j", (query, refusal) => {
    assert.strictEqual(read({ query }), refusal)
  })

  it.each<readonly [type: string | undefined, body: string, given: object]>([
    [undefined, "{\"hexstring\":\"00\"}", { hexstring: "00" }],
    ["application/json", "{}", {}],
    ["Application/JSON; charset=utf-8", "{\"hexstring\":null}", { hexstring: null }],
    ["image/png", "", {}]
  ])("in a body of type %s, %j, is %j", (contentType, body, given) => {
    assert.deepStrictEqual(read({ contentType, body }), { hash: "h", ...given })
  })

  it.each([
    [undefined, "[]", "400 | The body must be a JSON object"],
    [undefined, "{", "400 | The body must be a JSON object"],
    [undefined, "{\"more\":1}", "400 | There is no member more in the body here | Known here: hexstring"],
    [undefined, "{\"count\":1}", "400 | There is no member count in the body here | Known here: hexstring"],
    [undefined, "{\"hexstring\":\"1\",\"hexstring\":\"1\"}", "400 | The member hexstring is given twice"],
    ["text/plain", "00", "415 | A body of type text/plain is not taken here | Send application/json"],
    ["image/png", "x", "415 | A body of type image/png is not taken here | Send application/json"]
  ])("is refused for a body of type %s, %j", (contentType, body, refusal) => {
    assert.strictEqual(read({ contentType, body }), refusal)
  })

  it("may come as bytes or digits where there is an input for them", () => {
    const route = { ...ROUTE, bytesInput: "hexstring" }
    assert.deepStrictEqual(read({ contentType: "application/octet-stream", body: "\x01\xff" }, route), {
      hash: "h",
      hexstring: "01ff"
    })
    assert.deepStrictEqual(read({ contentType: "text/plain", body: " 01FF\n" }, route), {
      hash: "h",
      hexstring: "01FF"
    })
    assert.strictEqual(
      read({ contentType: "image/png", body: "x" }, route),
      "415 | A body of type image/png is not taken here | Send application/json, application/octet-stream or text/plain"
    )
  })

  it("must say what is required, and nothing is known where there are no inputs", () => {
    const needy = routeAt("/a", { inputs: [input("a", "query", "text", true), input("b", "body", "text", true)] })
    const nothing = { segments: new Map<string, string>() }
    assert.strictEqual(read(nothing, needy), "400 | The query has no parameter a | about a")
    assert.strictEqual(read({ ...nothing, query: "a=1" }, needy), "400 | The body has no member b | about b")
    assert.deepStrictEqual(read({ ...nothing, query: "a=1", body: "{\"b\":\"2\"}" }, needy), { a: "1", b: "2" })
    assert.strictEqual(
      read({ ...nothing, query: "a=1" }, routeAt("/a")),
      "400 | There is no query parameter a here | Known here: nothing"
    )
  })

  it("in a path is read by its kind", () => {
    const route = routeAt("/a/{height}", { inputs: [input("height", "path", "number", true)] })
    const segments = (height: string) => ({ segments: new Map([["height", height]]) })
    assert.deepStrictEqual(read(segments("5"), route), { height: 5 })
    assert.strictEqual(read(segments("x"), route), "400 | height must be an integer, not 'x'")
  })
})

describe("the route of a path over REST", () => {
  const routes = [
    routeAt("/a/fixed"),
    routeAt("/a/{x}"),
    routeAt("/a/{x}", { verb: "POST" }),
    routeAt("/a/{x}/b/{y}", { verb: "DELETE" })
  ]

  it.each<readonly [verb: string, path: string, found: number, segments: object]>([
    ["GET", "/a/fixed", 0, {}],
    ["HEAD", "/a/fixed", 0, {}],
    ["GET", "/a/other", 1, { x: "other" }],
    ["POST", "/a/fixed", 2, { x: "fixed" }],
    ["DELETE", "/a/1/b/2", 3, { x: "1", y: "2" }],
    ["GET", "/a/%C3%A4%2Fb", 1, { x: "ä/b" }],
    ["GET", "/a/%zz", 1, { x: "%zz" }]
  ])("%s %s is the first that fits", (verb, path, found, segments) => {
    const matched = matchRoute(routes, verb, path)
    assert.strictEqual(matched._tag, "Route")
    if (matched._tag !== "Route") return
    assert.strictEqual(matched.route, routes[found])
    assert.deepStrictEqual(Object.fromEntries(matched.segments), segments)
  })

  it.each([
    ["PUT", "/a/x", ["GET", "POST"]],
    ["HEAD", "/a/1/b/2", ["DELETE"]],
    ["DELETE", "/a/fixed", ["GET", "GET", "POST"]]
  ])("%s %s is none, but there are other verbs", (verb, path, verbs) => {
    assert.deepStrictEqual(matchRoute(routes, verb, path), { _tag: "OtherVerbs", verbs })
  })

  it.each(["/", "/a", "/a/", "/a/x/", "/a/x/c/y", "/a/x/b/", "/A/fixed", ""])("of %j is none at all", (path) => {
    assert.deepStrictEqual(matchRoute(routes, "GET", path), { _tag: "Nothing" })
  })
})
