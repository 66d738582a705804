import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { methodRoute, picked } from "../../src/rest/method-route.ts"
import { RestProblem } from "../../src/rest/rest-problem.ts"
import { JsonNumber, type JsonRead } from "../../src/json/json-value.ts"
import { method } from "../../src/methods/definition/method.ts"
import { boolean, hash, integer, optional, optionalWith, text } from "../../src/methods/definition/parameter.ts"
import { described } from "../../src/answers/result-schema.ts"
import { callError } from "../../src/queries/call-error.ts"
import type { MethodNode } from "../../src/methods/definition/method-node.ts"

const NODE = { deprecated: new Set() } as unknown as MethodNode

/** A method that answers its parameters. */
const echo = method({
  name: "echothing",
  category: "util",
  privilege: "admin",
  description: "Answers what it is given.",
  parameters: {
    id: hash({ description: "An id" }),
    count: optionalWith(integer({ description: "How many" }), 3),
    on: optional(boolean({ description: "Whether" })),
    word: optional(text({ description: "A word" }))
  },
  result: Schema.Struct({
    count: described(Schema.Number, "How many"),
    on: described(Schema.Unknown, "Whether"),
    word: described(Schema.Unknown, "A word")
  }) as never,
  examples: [],
  call: ({ count, on, word }: { readonly count: number; readonly on?: boolean; readonly word?: string }) =>
    count === 9
      ? Effect.fail(callError("Misc", "nine"))
      : Effect.succeed({ count, on: on ?? null, word: word ?? null })
} as never)

const ID = "07".repeat(32)

const ROUTE = {
  verb: "GET",
  path: "/things/{id}",
  summary: "A thing.",
  method: echo,
  inputs: {
    id: { place: "path" },
    much: { place: "query", parameter: "count" },
    on: { place: "query" },
    word: { place: "query" }
  }
} as const

const answered = (
  route: ReturnType<typeof methodRoute>,
  inputs: Readonly<Record<string, JsonRead>> = {},
  form: "json" | "hex" = "json"
) => Effect.map(route.answer(new Map(Object.entries({ id: ID, ...inputs })), NODE, form), ({ data }) => data as never)

describe("a resource that a method answers for", () => {
  it("has an input for each that is named, with the kind, the need and the default of the parameter", () => {
    const { bytesInput, hasBytes, inputs, isImmutable, isPaged, method: name, privilege, statuses } = methodRoute(ROUTE)
    assert.deepStrictEqual(
      inputs.map(({ description, kind, name: input, place, required, standard }) => [
        input,
        place,
        kind,
        required,
        standard,
        description
      ]),
      [
        ["id", "path", "text", true, undefined, "An id"],
        ["much", "query", "number", false, "3", "How many"],
        ["on", "query", "boolean", false, undefined, "Whether"],
        ["word", "query", "text", false, undefined, "A word"]
      ]
    )
    assert.deepStrictEqual([bytesInput, hasBytes, isImmutable, isPaged, name, privilege, statuses], [
      undefined,
      false,
      false,
      false,
      "echothing",
      "admin",
      {}
    ])
  })

  it("has what its definition says beside: kinds, needs, statuses, bytes and how long they hold", () => {
    const { bytesInput, hasBytes, inputs, isImmutable, statuses } = methodRoute({
      ...ROUTE,
      inputs: { id: { place: "query", required: false, kind: "list" } },
      fixedForBytes: {},
      isImmutable: true,
      bytesInput: "id",
      statuses: { Misc: 503 }
    })
    assert.deepStrictEqual([inputs[0]!.required, inputs[0]!.kind], [false, "list"])
    assert.deepStrictEqual([bytesInput, hasBytes, isImmutable, statuses], ["id", true, true, { Misc: 503 }])
    // What stands in the path is there.
    const inPath = methodRoute({ ...ROUTE, inputs: { id: { place: "path", required: false } } })
    assert.isTrue(inPath.inputs[0]!.required)
  })

  it.effect("hands on what is given under the names of the method, over what is fixed", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* answered(methodRoute(ROUTE), { much: new JsonNumber("5"), word: "w" }), {
        count: 5,
        on: null,
        word: "w"
      })
      const fixed = methodRoute({ ...ROUTE, fixed: { count: new JsonNumber("7"), word: "fixed" } })
      assert.deepStrictEqual(yield* answered(fixed), { count: 7, on: null, word: "fixed" })
      assert.deepStrictEqual(yield* answered(fixed, { word: "given", on: true }), { count: 7, on: true, word: "given" })
    }))

  it.effect("has other fixed parameters where bytes are wanted, and the same where none are named", () =>
    Effect.gen(function*() {
      const both = methodRoute({
        ...ROUTE,
        fixed: { count: new JsonNumber("1") },
        fixedForBytes: { count: new JsonNumber("2") },
        shape: () => ({ shaped: true })
      })
      assert.deepStrictEqual(yield* answered(both), { shaped: true })
      assert.deepStrictEqual(yield* answered(both, {}, "hex"), { count: 2, on: null, word: null })
      const one = methodRoute({ ...ROUTE, fixed: { count: new JsonNumber("1") } })
      assert.deepStrictEqual(yield* answered(one, {}, "hex"), { count: 1, on: null, word: null })
    }))

  it.effect("fails where the method does, where its result is a problem, and before where something does not hold", () =>
    Effect.gen(function*() {
      const failed = (route: ReturnType<typeof methodRoute>, inputs: Readonly<Record<string, JsonRead>> = {}) =>
        Effect.map(Effect.flip(answered(route, inputs)), ({ message }) => message)
      assert.strictEqual(yield* failed(methodRoute(ROUTE), { much: new JsonNumber("9") }), "nine")
      assert.strictEqual(
        yield* failed(methodRoute({ ...ROUTE, shape: () => new RestProblem(404, "none") })),
        "none"
      )
      const before = () => Effect.fail(new RestProblem(501, "before"))
      assert.strictEqual(yield* failed(methodRoute({ ...ROUTE, before }), { much: new JsonNumber("9") }), "before")
    }))
})

describe("an input that is not as the parameter", () => {
  const route = methodRoute({
    ...ROUTE,
    inputs: {
      id: { place: "path" },
      three: {
        place: "query",
        parameter: "count",
        kind: "boolean",
        shown: { description: "Whether three", standard: "false" },
        to: (isWanted, isJson) => isWanted === true && isJson ? new JsonNumber("3") : undefined
      }
    },
    fixed: { count: new JsonNumber("1") },
    fixedForBytes: { count: new JsonNumber("2") }
  })

  it("is shown in its own words, and otherwise in those of the parameter", () => {
    const [id, three] = route.inputs
    assert.deepStrictEqual([id!.description, id!.standard], ["An id", undefined])
    assert.deepStrictEqual([three!.description, three!.standard, three!.required], ["Whether three", "false", false])
  })

  it.effect("is what it is made for the parameter, or leaves what the path says by itself", () =>
    Effect.gen(function*() {
      const count = (form: "json" | "hex", three?: boolean) =>
        Effect.map(answered(route, three === undefined ? {} : { three }, form), ({ count: found }) => found)
      assert.deepStrictEqual(
        yield* Effect.all([count("json", true), count("json", false), count("json"), count("hex", true)]),
        [3, 1, 1, 2] as never
      )
    }))
})

describe("members of a result", () => {
  it("are picked under other names, and are missing where the result has none", () => {
    assert.deepStrictEqual(picked({ a: 1, b: 2, c: 3 }, { x: "a", y: "c", z: "none" }) as unknown, {
      x: 1,
      y: 3,
      z: undefined
    })
  })
})
