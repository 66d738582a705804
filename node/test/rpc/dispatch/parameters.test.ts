import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { callMethod, isCount } from "../../../src/methods/definition/call-method.ts"
import { callModule, callOverride } from "../../../src/rpc/dispatch/module-call.ts"
import type { JsonMembers, JsonValue } from "../../../src/json/json-value.ts"
import { readJson } from "../../../src/json/read-json.ts"
import { writeJson } from "../../../src/json/write-json.ts"
import { integer, optional } from "../../../src/methods/definition/parameter.ts"
import type { CallError } from "../../../src/queries/call-error.ts"
import { type RpcError, rpcErrorOf } from "../../../src/rpc/rpc-error.ts"
import { echo, node } from "./echo-method.ts"

const described = { description: "d" }

const called = (params: string): Effect.Effect<string> =>
  Effect.match(Effect.mapError(callMethod(echo, readJson(params) as JsonMembers, node), rpcErrorOf), {
    onFailure: ({ code, message }) => `${code} ${message}`,
    onSuccess: writeJson
  })

/** Parameters as they come, and what becomes of them. */
const PARAMETERS: ReadonlyArray<readonly [params: string, answer: string]> = [
  ["[\"a\"]", "[\"a\",7,null,null]"],
  ["[\"a\",1]", "[\"a\",1,null,null]"],
  ["[\"a\",null,{\"x\":1},[\"y\"]]", "[\"a\",7,{\"x\":1},[\"y\"]]"],
  ["{\"first\":\"a\"}", "[\"a\",7,null,null]"],
  ["{\"one\":\"a\",\"fourth\":[]}", "[\"a\",7,null,[]]"],
  ["{\"second\":3,\"first\":\"a\"}", "[\"a\",3,null,null]"],
  ["{\"first\":\"a\",\"slow\":1,\"fast\":2}", "[\"a\",7,{\"fast\":2,\"slow\":1},null]"],
  ["{\"args\":[\"a\"],\"fourth\":[]}", "[\"a\",7,null,[]]"],
  ["{\"args\":[\"a\",1],\"slow\":2}", "[\"a\",1,{\"slow\":2},null]"],
  ["{\"args\":[\"a\"]}", "[\"a\",7,null,null]"],
  ["{\"args\":[\"a\",1],\"second\":2}", "-8 Parameter second specified twice both as positional and named argument"],
  ["{\"args\":[\"a\"],\"one\":\"b\"}", "-8 Parameter first|one specified twice both as positional and named argument"],
  ["{\"args\":[],\"first\":\"b\"}", "[\"b\",7,null,null]"],
  ["{\"args\":5,\"first\":\"b\"}", "-8 Unknown named parameter args"],
  ["{\"first\":\"a\",\"first\":\"b\"}", "-8 Parameter first specified multiple times"],
  ["{\"first\":\"a\",\"one\":\"b\"}", "-8 Unknown named parameter one"],
  ["{\"first\":\"a\",\"fifth\":1}", "-8 Unknown named parameter fifth"],
  ["{\"first\":\"a\",\"third\":{},\"slow\":1}", "-8 Parameter third conflicts with parameter slow"],
  [
    "[1,\"b\",[],{}]",
    "-3 Wrong type passed:\n{\n" +
    "    \"Position 1 (first|one)\": \"JSON value of type number is not of expected type string\",\n" +
    "    \"Position 2 (second)\": \"JSON value of type string is not of expected type number\",\n" +
    "    \"Position 3 (third)\": \"JSON value of type array is not of expected type object\",\n" +
    "    \"Position 4 (fourth)\": \"JSON value of type object is not of expected type array\"\n}"
  ],
  [
    "[null]",
    "-3 Wrong type passed:\n{\n    \"Position 1 (first|one)\": \"JSON value of type null is not of expected type string\"\n}"
  ],
  ["[\"a\",1.5]", "-1 JSON integer out of range"]
]

describe("parameters of a call", () => {
  it.effect.each(PARAMETERS)(
    "%s: %s",
    ([params, answer]) => Effect.map(called(params), (found) => assert.strictEqual(found, answer))
  )

  it.effect("are as many as the last one needed at least, and as all of them at most; otherwise help is the answer", () =>
    Effect.gen(function*() {
      for (const params of ["[]", "{}", "[\"a\",1,{},[],1]"]) {
        assert.match(
          yield* called(params),
          /^-1 test "first" \( second third \[fourth,\.\.\.\] \)\n\nAnswers what/,
          params
        )
      }
      const needsLast = { a: optional(integer(described)), b: integer(described), c: optional(integer(described)) }
      assert.deepStrictEqual([0, 1, 2, 3, 4].map((count) => isCount(needsLast, count)), [
        false,
        false,
        true,
        true,
        false
      ])
      assert.deepStrictEqual([0, 1].map((count) => isCount({}, count)), [true, false])
    }))
})

describe("methods of modules", () => {
  const ofModule = (text: string | { readonly kind?: string; readonly text: string; readonly code?: number }) => {
    const given: Array<string> = []
    const call = (params: string) => {
      given.push(params)
      return typeof text === "string" ? Effect.succeed(text) : Effect.fail(text)
    }
    return { given, method: { name: "test", module: "mod", description: "", isOverride: true, call } as never }
  }
  const end = (effect: Effect.Effect<JsonValue, CallError | RpcError>) =>
    Effect.match(Effect.mapError(effect, rpcErrorOf), {
      onFailure: ({ code, message }) => `${code} ${message}`,
      onSuccess: writeJson
    })

  it.effect("answer with JSON of bounded size, which is passed on", () =>
    Effect.gen(function*() {
      const { given, method: added } = ofModule("{\"a\":[1.50]}")
      assert.strictEqual(yield* end(callModule(added, readJson("{\"x\":1}") as JsonMembers)), "{\"a\":[1.50]}")
      assert.deepStrictEqual(given, ["{\"x\":1}"])
      const broken = yield* end(callModule(ofModule("{").method, []))
      assert.strictEqual(broken, "-1 The module mod answered test with a text that is no JSON")
      const many = (count: number) => `[${"null,".repeat(count - 2)}null]`
      assert.strictEqual((yield* end(callModule(ofModule(many(1_000_000)).method, []))).length, 4_999_996)
      assert.match(yield* end(callModule(ofModule(many(1_000_001)).method, [])), /^-1 The module mod answered/)
    }))

  it.effect("fail with the code of the module, or with -1", () =>
    Effect.gen(function*() {
      assert.match(yield* end(callModule(ofModule({ text: "no", code: -99 }).method, [])), /^-99 .*no/)
      assert.match(yield* end(callModule(ofModule({ text: "no" }).method, [])), /^-1 .*no/)
    }))

  it.effect("in place of the node's get parameters by position, and leave the answer to the node where they cannot", () =>
    Effect.gen(function*() {
      const params = readJson("{\"first\":\"a\",\"fourth\":[\"b\"]}") as JsonMembers
      const { given, method: override } = ofModule("5")
      assert.strictEqual(yield* end(callOverride(override, echo, params, node)), "5")
      assert.deepStrictEqual(given, ["[\"a\",null,null,[\"b\"]]"])
      for (const kind of ["ConnectionError", "ResourceExhausted"]) {
        const gone = ofModule({ kind, text: "gone" }).method
        assert.strictEqual(yield* end(callOverride(gone, echo, params, node)), "[\"a\",7,null,[\"b\"]]", kind)
      }
      for (const kind of [undefined, "InvalidRequest"]) {
        const refusing = ofModule({ ...kind !== undefined && { kind }, text: "refused", code: -4 }).method
        assert.match(yield* end(callOverride(refusing, echo, params, node)), /^-4 .*refused/)
      }
      const { given: untouched, method: unasked } = ofModule("5")
      assert.match(yield* end(callOverride(unasked, echo, [5 as never], node)), /^-[13] /)
      assert.deepStrictEqual(untouched, [])
    }))
})
