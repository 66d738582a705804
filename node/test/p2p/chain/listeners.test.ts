import { assert, describe, it } from "@effect/vitest"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { makeListeners } from "../../../src/p2p/chain/listeners.ts"

const TIP = { height: 3 } as HeaderIndexNode

describe("subscribers to the chain", () => {
  it("get what they asked for, in the order in which they came, until they end", () => {
    const got: Array<unknown> = []
    const { add, notify } = makeListeners((defect) => void got.push(defect))
    const end = add({ tip: (tip) => void got.push(["first", tip]) })
    add({ tip: (tip) => void got.push(["second", tip]) })
    add({})
    notify("tip", TIP, TIP, false)
    assert.deepStrictEqual(got, [["first", TIP], ["second", TIP]])
    end()
    notify("tip", TIP, TIP, false)
    assert.deepStrictEqual(got.slice(2), [["second", TIP]])
  })

  it("do not keep others from theirs by a failure, which is reported", () => {
    const defects: Array<unknown> = []
    const got: Array<unknown> = []
    const { add, notify } = makeListeners((defect) => void defects.push(defect))
    const failure = new Error("a listener failed")
    add({
      tip: () => {
        throw failure
      }
    })
    add({ tip: (tip) => void got.push(tip) })
    notify("tip", TIP, TIP, false)
    assert.deepStrictEqual([defects, got], [[failure], [TIP]])
  })
})
