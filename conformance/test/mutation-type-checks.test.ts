import { assert, describe, it } from "vitest"
import type { Fault } from "../src/mutation/areas/fault.ts"
import { checkTypes } from "../src/mutation/areas/type-checks.ts"

const fault = (id: number, file: string, within = "f", line = 1): Fault => ({
  id,
  file,
  line,
  within,
  original: "a",
  mutated: "b",
  occurrence: 1,
  span: { start: 0, end: 1 },
  kind: "value",
  beginsStatement: false
})

/** Checks `faults`; `wrong`: by the number of a fault, the file and line in which it makes an error. */
const checked = async (faults: ReadonlyArray<Fault>, wrong: Readonly<Record<number, string>>) => {
  const checks: Array<ReadonlyArray<number>> = []
  let there: ReadonlyArray<Fault> = []
  const refused = await checkTypes({
    withFaults: async (planted, trial) => {
      there = planted
      assert.strictEqual(new Set(planted.map(({ file, line }) => `${file} ${line}`)).size, planted.length)
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
  it("is one for many, but never plants two in a line at once", async () => {
    assert.deepStrictEqual(await checked(FOUR, {}), { refused: {}, checks: [[1, 2, 3], [4]] })
  })

  it("plants faults of several declarations of a file at once, and refuses the one in whose lines an error stands", async () => {
    const three = [fault(1, "a.ts", "f", 1), fault(2, "a.ts", "g", 5), fault(3, "a.ts", "h", 9)]
    assert.deepStrictEqual(await checked(three, { 2: "a.ts(5" }), {
      refused: { 2: "a.ts(5,1): error TS2: no" },
      checks: [[1, 2, 3], [1, 3]]
    })
  })

  it("checks faults of one declaration apart, since one may make its error in the lines of another", async () => {
    const three = [fault(1, "a.ts", "f", 1), fault(2, "a.ts", "f", 5), fault(3, "a.ts", "g", 9)]
    assert.deepStrictEqual(await checked(three, { 1: "a.ts(5" }), {
      refused: { 1: "a.ts(5,1): error TS1: no" },
      checks: [[1, 3], [1], [3], [2]]
    })
  })

  it("keeps faults on one line apart, whatever their declarations", async () => {
    const three = [
      { ...fault(1, "a.ts", "f", 4), original: "a\nb" },
      fault(2, "a.ts", "g", 5),
      fault(3, "a.ts", "h", 6)
    ]
    assert.deepStrictEqual(await checked(three, {}), { refused: {}, checks: [[1, 3], [2]] })
  })

  it("refuses a fault in whose lines an error stands, and checks the others again without it", async () => {
    assert.deepStrictEqual(await checked(FOUR, { 2: "b.ts(1" }), {
      refused: { 2: "b.ts(1,1): error TS2: no" },
      checks: [[1, 2, 3], [1, 3], [4]]
    })
  })

  it("tries the faults of a file apart from the others when an error stands elsewhere in it", async () => {
    assert.deepStrictEqual(await checked(FOUR, { 2: "b.ts(7" }), {
      refused: { 2: "b.ts(7,1): error TS2: no" },
      checks: [[1, 2, 3], [2], [1, 3], [4]]
    })
  })

  it("halves the faults until one is left when an error stands in another file", async () => {
    assert.deepStrictEqual(await checked(FOUR, { 3: "far.ts(1" }), {
      refused: { 3: "far.ts(1,1): error TS3: no" },
      checks: [[1, 2, 3], [1, 2], [3], [4]]
    })
  })

  it("finds every fault that makes an error in another file", async () => {
    const many = Array.from({ length: 16 }, (_, i) => fault(i + 1, `${i + 1}.ts`))
    const { checks, refused } = await checked(many, { 5: "far.ts(1", 6: "far.ts(1", 16: "2.ts(9" })
    assert.deepStrictEqual(Object.keys(refused), ["5", "6", "16"])
    assert.isBelow(checks.length, 20)
  })

  it("does not take the error of another fault for one's own", async () => {
    const { refused } = await checked(FOUR, { 1: "b.ts(7" })
    assert.deepStrictEqual(Object.keys(refused), ["1"])
  })

  it("is none where there are no faults", async () => {
    assert.deepStrictEqual(await checked([], {}), { refused: {}, checks: [] })
  })
})
