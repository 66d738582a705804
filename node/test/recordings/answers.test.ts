import { assert, describe, it } from "@effect/vitest"
import { answerDiffers } from "./answers.ts"
import { exceptionFor } from "./exceptions.ts"

const differs = (method: string, expected: unknown, found: unknown): boolean =>
  answerDiffers(method, { result: expected }, { result: found, error: null }).length > 0

describe("answers of RPC are compared with recorded ones", () => {
  it("by value: members in any order, lists in theirs", () => {
    assert.isFalse(differs("getblock", { a: 1, b: [1, 2] }, { b: [1, 2], a: 1 }))
    assert.isTrue(differs("getblock", { a: 1, b: [1, 2] }, { a: 1, b: [2, 1] }))
    assert.isTrue(differs("getblock", { a: 1 }, { a: 1, b: 2 }))
    assert.isTrue(differs("getblock", { a: 1, b: 2 }, { a: 1 }))
    assert.isTrue(differs("getblock", null, undefined))
  })

  it("except for lists of transactions that have no order", () => {
    assert.isFalse(differs("getrawmempool", ["a", "b"], ["b", "a"]))
    assert.isFalse(differs("getrawmempool", { txids: ["a", "b"] }, { txids: ["b", "a"] }))
    assert.isTrue(differs("getrawmempool", ["a", "b"], ["b", "c"]))
    assert.isTrue(differs("getrawmempool", ["a", "a"], ["a"]))
    assert.isFalse(differs("getmempoolentry", { depends: ["a", "b"] }, { depends: ["b", "a"] }))
    assert.isTrue(differs("getblocktemplate", { transactions: ["a", "b"] }, { transactions: ["b", "a"] }))
  })

  it("except for members of the machine or the moment", () => {
    assert.isFalse(differs("getmempoolinfo", { usage: 1, optimal: true }, { usage: 2, optimal: false }))
    assert.isFalse(differs("getmempoolentry", { time: 100 }, { time: 102 }))
    assert.isTrue(differs("getmempoolentry", { time: 100 }, { time: 103 }))
    assert.isTrue(differs("getmempoolentry", { height: 100 }, { height: 101 }))
  })

  it("errors by code and text, and by code alone where it is -1", () => {
    const differ = (expected: readonly [number, string], found: readonly [number, string]): boolean => {
      const [left, right] = [expected, found].map(([code, message]) => ({ error: { code, message } }))
      return answerDiffers("getblock", left!, right!).length > 0
    }
    assert.isFalse(differ([-5, "a"], [-5, "a"]))
    assert.isTrue(differ([-5, "a"], [-5, "b"]))
    assert.isTrue(differ([-5, "a"], [-8, "a"]))
    assert.isFalse(differ([-1, "a"], [-1, "b"]))
    assert.lengthOf(answerDiffers("getblock", { error: { code: -5, message: "a" } }, { result: 1, error: null }), 1)
    assert.lengthOf(answerDiffers("getblock", { result: 1 }, { error: { code: -5, message: "a" } }), 1)
  })
})

describe("exceptions", () => {
  it("hold for one conversation, and for a row or for what the difference says", () => {
    const exceptions = [
      { conversation: "one", row: 7, reason: "" },
      { conversation: "one", row: /usage/, reason: "" }
    ]
    assert.isDefined(exceptionFor("one", 7, "result", exceptions))
    assert.isDefined(exceptionFor("one", 8, "result.usage", exceptions))
    assert.isUndefined(exceptionFor("one", 8, "result", exceptions))
    assert.isUndefined(exceptionFor("two", 7, "result.usage", exceptions))
  })
})
