import { assert, describe, it } from "@effect/vitest"
import { isKnown, strongTag, weakTag } from "../../src/rest/entity-tag.ts"
import { STATUS_OF_ERROR } from "../../src/rest/error-status.ts"
import { dataText, problemAnswer, refusalAnswer } from "../../src/rest/envelope.ts"
import { negotiate } from "../../src/rest/negotiate.ts"
import { codeWord, PROBLEM_STATUSES, problemOf, RestProblem } from "../../src/rest/rest-problem.ts"
import { callError, type CallErrorTag } from "../../src/queries/call-error.ts"

describe("the form of an answer", () => {
  it.each([
    [undefined, "json"],
    ["", "json"],
    [" ", "json"],
    ["*/*", "json"],
    ["application/json", "json"],
    ["APPLICATION/JSON", "json"],
    ["application/*", "json"],
    ["text/plain", "hex"],
    ["text/*", "hex"],
    ["application/octet-stream", "binary"],
    ["application/octet-stream, text/plain", "binary"],
    ["application/octet-stream;q=0.5, text/plain", "hex"],
    ["application/octet-stream;q=0.5, text/plain;q=0.4", "binary"],
    ["text/plain;charset=utf-8;q=0.9, application/json;q=0.8", "hex"],
    ["text/plain; q=1.000, */*;q=0.001", "hex"],
    ["application/json;q=0, */*", "binary"],
    ["text/plain, application/json;q=1", "json"],
    ["application/*;q=0.1, application/octet-stream;q=0.2, text/*;q=0.15", "binary"],
    ["*/*;q=0", undefined],
    ["image/png", undefined],
    ["text/plain;q=0", undefined],
    // What is no quality counts as if nothing were said.
    ["text/plain;q=2", "hex"],
    ["text/plain;q=x", "hex"]
  ])("wanted by Accept: %s is %s where there are bytes", (accept, form) => {
    assert.strictEqual(negotiate(accept, true), form)
  })

  it.each([["text/plain", undefined], ["application/octet-stream", undefined], ["text/plain, */*;q=0.1", "json"]])(
    "wanted by Accept: %s is %s where there are none",
    (accept, form) => {
      assert.strictEqual(negotiate(accept, false), form)
    }
  )
})

describe("the tag of an answer", () => {
  it("is the start of a SHA-256, weak for data in an envelope", () => {
    assert.strictEqual(strongTag("abc"), "\"ba7816bf8f01cfea414140de5dae2223\"")
    assert.strictEqual(strongTag(Buffer.from("abc")), strongTag("abc"))
    assert.strictEqual(weakTag("abc"), `W/${strongTag("abc")}`)
  })

  it.each([
    [undefined, false],
    ["", false],
    ["*", true],
    [" * ", true],
    ["\"a\"", true],
    ["W/\"a\"", true],
    ["\"x\", W/\"a\"", true],
    ["\"x\",\"y\"", false],
    ["a", false],
    ["\"a", false]
  ])("is known to a client with If-None-Match: %s or not: %s", (ifNoneMatch, known) => {
    for (const tag of ["\"a\"", "W/\"a\""]) assert.strictEqual(isKnown(tag, ifNoneMatch), known)
  })
})

const ABOUT = { requestId: "r", now: () => 1_700_000_000_999 as never }
const META = { timestamp: "1700000000", version: "1.0", request_id: "r" }

describe("the envelope of REST", () => {
  it("has the data, the seconds of now, the request and the part of a list", () => {
    const bare = dataText("[1]", ABOUT, undefined)
    assert.strictEqual(bare, `{"data":[1],"meta":${JSON.stringify(META)}}\n`)
    const paged = dataText("[1]", { ...ABOUT, page: { offset: 2, limit: 3, total: 9 } }, { self: "/a" })
    assert.deepStrictEqual(JSON.parse(paged), {
      data: [1],
      meta: { ...META, page: { offset: 2, limit: 3, total: 9 } },
      links: { self: "/a" }
    })
  })

  it("of a problem has its word, message, code and suggestions, and is never stored", () => {
    const page = { offset: 2, limit: 3, total: 9 }
    const { body, headers, status } = problemAnswer(
      new RestProblem(404, "no", ["look there"], -5),
      { ...ABOUT, page },
      {
        Allow: "GET"
      }
    )
    assert.deepStrictEqual([status, JSON.parse(String(body))], [404, {
      error: { code: "not_found", message: "no", details: { rpc_code: -5 }, suggestions: ["look there"] },
      meta: META
    }])
    assert.match(String(body), /\}\n$/)
    assert.deepStrictEqual(headers, {
      "Content-Type": "application/json",
      "Cache-Control": "no-store",
      "X-Request-Id": "r",
      Allow: "GET"
    })
    const bare = JSON.parse(String(problemAnswer(new RestProblem(400, "no"), ABOUT).body))
    assert.deepStrictEqual(bare.error, { code: "bad_request", message: "no" })
  })

  it.each([
    [401, "unauthorized", "The credentials are wrong, or missing"],
    [403, "forbidden", "This address is not allowed to call"],
    [413, "too_large", "The body is too large"],
    [429, "too_many_requests", "Too many requests"],
    [503, "unavailable", "The node has no time for this request now"],
    [400, "bad_request", "The request is refused"]
  ])("of a refusal with status %d has the word %s and keeps the other headers", (status, code, message) => {
    const given = { status, body: "plain", headers: { "Content-Type": "text/plain", "Retry-After": "7" } }
    const { body, headers, status: kept } = refusalAnswer(given, ABOUT)
    assert.strictEqual(kept, status)
    assert.deepStrictEqual(JSON.parse(String(body)).error, { code, message })
    assert.deepInclude(headers, { "Content-Type": "application/json", "Retry-After": "7" })
  })
})

/** Each error that is not the engine's, with its status and the code that RPC has for it. */
const OWN_ERRORS: ReadonlyArray<readonly [tag: CallErrorTag, status: number, code: number]> = [
  ["AlreadyInUtxoSet", 500, -27],
  ["BlockNeverConnected", 404, -5],
  ["BlockNotAvailable", 404, -1],
  ["BlockUnreadable", 500, -1],
  ["CoinStatsIndexNotEnabled", 400, -8],
  ["Deserialization", 400, -22],
  ["FilterMissing", 500, -32_603],
  ["FilterNotIndexed", 503, -1],
  ["Internal", 500, -32_603],
  ["InvalidAddressOrKey", 404, -5],
  ["InvalidAddressOrSubnet", 400, -30],
  ["InvalidParameter", 400, -8],
  ["InvalidParams", 400, -32_602],
  ["InWarmup", 503, -28],
  ["MethodNotFound", 501, -32_601],
  ["Misc", 400, -1],
  ["NetworkDisabled", 409, -31],
  ["NodeAlreadyAdded", 409, -23],
  ["NodeCapacityReached", 500, -34],
  ["NodeNotAdded", 404, -24],
  ["NodeNotConnected", 404, -29],
  ["NotConnected", 503, -9],
  ["QueueFull", 500, -37],
  ["Rejected", 500, -26],
  ["TransactionNotFound", 404, -5],
  ["Verify", 400, -25],
  ["WrongType", 400, -3]
]

describe("the status of an error over REST", () => {
  it("has a word each, and another one has a general word", () => {
    assert.deepStrictEqual(PROBLEM_STATUSES.map((status) => [status, codeWord(status)]), [
      [400, "bad_request"],
      [401, "unauthorized"],
      [403, "forbidden"],
      [404, "not_found"],
      [405, "method_not_allowed"],
      [406, "not_acceptable"],
      [409, "conflict"],
      [413, "too_large"],
      [415, "unsupported_media_type"],
      [422, "rejected"],
      [429, "too_many_requests"],
      [500, "internal_error"],
      [501, "not_in_this_build"],
      [503, "unavailable"]
    ])
    assert.strictEqual(codeWord(418), "error")
  })

  it.each(OWN_ERRORS)(
    "of an error %s has status %d, unless the resource says otherwise, and shows RPC's code %d",
    (tag, status, code) => {
      const problem = problemOf(callError(tag, "no"))
      assert.deepStrictEqual([problem.status, problem.message, problem.rpcCode, problem.suggestions], [
        status,
        "no",
        code,
        []
      ])
      assert.strictEqual(problemOf(callError(tag, "no"), { [tag]: 422 }).status, 422)
    }
  )

  it("of the engine distinguishes what the client asked wrongly and what the node cannot do", () => {
    const all = Object.entries(STATUS_OF_ERROR).filter(([name]) => !OWN_ERRORS.some(([tag]) => tag === name))
    const names = (wanted: number): ReadonlyArray<string> =>
      all.filter(([, status]) => status === wanted).map(([name]) => name)
    assert.sameMembers([...names(404)], ["BlockNotFound", "NotInMempool"])
    assert.sameMembers([...names(503)], ["InInitialDownload", "MempoolNotLoaded"])
    assert.sameMembers([...names(500)], [
      "MempoolNotSaved",
      "Broken",
      "Closing",
      "Defect",
      "DiskFull",
      "EngineFailure",
      "IndexEntryNotFound",
      "IndexNotSynced",
      "LowSpace",
      "MinedBlockNotAccepted",
      "ScriptWorkerFailed",
      "SnapshotNotWritten",
      "SnapshotRefused",
      "StorageFailed"
    ])
    assert.lengthOf(names(400), all.length - 18)
  })
})
