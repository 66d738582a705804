import { assert, describe, it } from "vitest"
import type { Fault } from "../src/mutation/areas/fault.ts"
import { checkTypes } from "../src/mutation/areas/type-checks.ts"

const fault = (id: number, file: string): Fault => ({
  id,
  file,
  line: 1,
  within: "f",
  original: "a",
  mutated: "b",
  occurrence: 1,
  span: { start: 0, end: 1 },
  kind: "value"
})

/** Checks `faults`; `wrong`: by the number of a fault, the file and line in which it makes an error. */
const checked = async (faults: ReadonlyArray<Fault>, wrong: Readonly<Record<number, string>>) => {
  const checks: Array<ReadonlyArray<number>> = []
  let there: ReadonlyArray<Fault> = []
  const refused = await checkTypes({
    withFaults: async (planted, trial) => {
      there = planted
      assert.strictEqual(new Set(planted.map(({ file }) => file)).size, planted.length)
      return trial()
    },
    typeErrors: () => {
      checks.push(there.map(({ id }) => id))
      return Promise.resolve(
        there.flatMap(({ id }) => wrong[id] === undefined ? [] : [`${wrong[id]},1): error TS${id}: no`])
      )
    }
  }, faults)
  return { refused: Object.fromEntries(refused), checks }
}

const FOUR = [fault(1, "a.ts"), fault(2, "b.ts"), fault(3, "c.ts"), fault(4, "a.ts")]

describe("the type check of faults", () => {
  it("is one for many, but never plants two in a file at once", async () => {
    assert.deepStrictEqual(await checked(FOUR, {}), { refused: {}, checks: [[1, 2, 3], [4]] })
  })

  it("refuses a fault in whose lines an error stands, and checks the others again without it", async () => {
    assert.deepStrictEqual(await checked(FOUR, { 2: "b.ts(1" }), {
      refused: { 2: "b.ts(1,1): error TS2: no" },
      checks: [[1, 2, 3], [1, 3], [4]]
    })
  })

  it("tries a fault alone when an error stands elsewhere in its file", async () => {
    assert.deepStrictEqual(await checked(FOUR, { 2: "b.ts(7" }), {
      refused: { 2: "b.ts(7,1): error TS2: no" },
      checks: [[1, 2, 3], [2], [1, 3], [4]]
    })
  })

  it("tries every fault alone when an error stands in another file", async () => {
    assert.deepStrictEqual(await checked(FOUR, { 3: "far.ts(1" }), {
      refused: { 3: "far.ts(1,1): error TS3: no" },
      checks: [[1, 2, 3], [1], [2], [3], [4]]
    })
  })

  it("does not take the error of another fault for one's own", async () => {
    const { refused } = await checked(FOUR, { 1: "b.ts(7" })
    assert.deepStrictEqual(Object.keys(refused), ["1"])
  })

  it("is none where there are no faults", async () => {
    assert.deepStrictEqual(await checked([], {}), { refused: {}, checks: [] })
  })
})
