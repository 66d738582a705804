import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { callMethod } from "../../src/methods/definition/call-method.ts"
import { JsonMembers, JsonNumber, type JsonValue } from "../../src/json/json-value.ts"
import { answerMisfit } from "../../src/methods/definition/answer-misfit.ts"
import { method } from "../../src/methods/definition/method.ts"
import { callError } from "../../src/queries/call-error.ts"

const Answer = Schema.Struct({
  txid: Schema.String,
  vout: Schema.optional(Schema.Number),
  outputs: Schema.Array(Schema.Struct({ value: Schema.Number }))
})

describe("answers that are held to their description", () => {
  it.each<readonly [what: string, answer: JsonValue, misfit: string | undefined]>([
    ["a whole answer", { txid: "00", outputs: [] }, undefined],
    [
      "numbers of any form",
      { txid: "00", vout: 1, outputs: [{ value: new JsonNumber("1.00000000") }, { value: 2n }] },
      undefined
    ],
    ["an optional member that is undefined", { txid: "00", vout: undefined, outputs: [] }, undefined],
    ["an object that was read", new JsonMembers(["txid", "outputs"], ["00", []]), undefined],
    ["a missing member", { outputs: [] }, "result.txid"],
    ["a number for a text", { txid: 1, outputs: [] }, "result.txid"],
    ["null for a text", { txid: null, outputs: [] }, "result.txid"],
    ["a member more", { txid: "00", outputs: [], more: true }, "result.more"],
    ["an object for a list", { txid: "00", outputs: {} }, "result.outputs"],
    ["a text in a list", { txid: "00", outputs: [{ value: 1 }, { value: "1" }] }, "result.outputs[1].value"],
    ["a text for an object", "00", "result"],
    ["a list for an object", [], "result"]
  ])("%s", (_, answer, misfit) => {
    assert.strictEqual(answerMisfit(Answer.ast, answer), misfit)
  })

  it("have as many places as are described, and more of the last kind where there may be more", () => {
    const { ast } = Schema.Tuple([Schema.String, Schema.Number])
    const misfits = [["a", 1], ["a"], [], ["a", 1, 2], [1, 1]].map((each) => answerMisfit(ast, each))
    assert.deepStrictEqual(misfits, [undefined, "result", "result", "result[2]", "result[0]"])
    const more = Schema.TupleWithRest(Schema.Tuple([Schema.String]), [Schema.Number]).ast
    const found = [["a"], ["a", 1, 2], ["a", "b"], []].map((each) => answerMisfit(more, each))
    assert.deepStrictEqual(found, [undefined, undefined, "result[1]", "result"])
  })

  it("fit where they are one of several kinds", () => {
    const { ast } = Schema.Union([Schema.Null, Schema.Literal(2), Answer])
    assert.deepStrictEqual(
      [null, 2, { txid: "", outputs: [] }, "x", { txid: "" }].map((each) => answerMisfit(ast, each)),
      [undefined, undefined, undefined, "result", "result.outputs"]
    )
  })

  it.effect("are errors in Bitcoin Core's words with -rpcdoccheck, and go out as they are without it", () =>
    Effect.gen(function*() {
      const wrong = method({
        name: "getwrong",
        category: "util",
        privilege: "anyone",
        description: "Answers another kind than it says.",
        parameters: {},
        result: Schema.Struct({ height: Schema.Number }),
        examples: [],
        call: () => Effect.succeed({ height: "1" } as never)
      })
      const call = (checksAnswers: boolean) => callMethod(wrong, [], { checksAnswers, isStandIn: true } as never)
      assert.deepStrictEqual<unknown>(yield* call(false), { height: "1" })
      assert.deepStrictEqual(
        yield* Effect.flip(call(true)),
        callError(
          "Misc",
          "Internal bug detected: RPC call \"getwrong\" returned incorrect type:\nresult.height is not as its description says"
        )
      )
    }))
})
