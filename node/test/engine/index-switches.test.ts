import { assert, describe, it } from "vitest"
import { INDEX_SWITCHES, INDEXES, indexSwitches, NO_INDEXES } from "../../src/engine/options/index-switches.ts"

describe("the switches of the optional indexes", () => {
  it("are all off, or as each is asked for", () => {
    assert.deepStrictEqual(Object.values(NO_INDEXES), INDEX_SWITCHES.map(() => false))
    const asked: Array<string> = []
    const some = indexSwitches((each) => {
      asked.push(each)
      return each === "addressIndex"
    })
    assert.deepStrictEqual(some, { ...NO_INDEXES, addressIndex: true })
    assert.deepStrictEqual(asked, [...INDEX_SWITCHES])
  })

  it("name those whose answers are read from blocks, which pruning takes away", () => {
    assert.deepStrictEqual(INDEX_SWITCHES.filter((each) => INDEXES[each].readsBlocks), [
      "transactionIndex",
      "spenderIndex"
    ])
  })
})
