import { assert, describe, it } from "vitest"
import { inOrder, orderText } from "../src/mutation/areas/test-order.ts"

describe("the tests of a fault", () => {
  it("run in the order they were asked for", () => {
    const asked = orderText(["c.test.ts", "a.test.ts", "b.test.ts"])
    assert.deepStrictEqual(inOrder(["a.test.ts", "b.test.ts", "c.test.ts"], (file) => file, asked), [
      "c.test.ts",
      "a.test.ts",
      "b.test.ts"
    ])
    assert.deepStrictEqual(inOrder(["a.test.ts", "d.test.ts"], (file) => file, asked), ["d.test.ts", "a.test.ts"])
  })
})
