import { compareDiagrams, compareFeerates } from "@lockstep/txgraph"
import { assert, describe, it } from "vitest"

const chunk = (fee: number, size: number) => ({ fee, size })

describe("feerate diagrams", () => {
  it("are equal where the same curve has more breakpoints", () =>
    assert.strictEqual(compareDiagrams([chunk(10, 4)], [chunk(5, 2), chunk(5, 2)]), "equal"))

  it("are better where a curve is nowhere below and somewhere above", () => {
    assert.strictEqual(compareDiagrams([chunk(10, 4)], [chunk(9, 4)]), "better")
    assert.strictEqual(compareDiagrams([chunk(9, 4)], [chunk(10, 4)]), "worse")
    assert.strictEqual(compareDiagrams([chunk(10, 4)], []), "better")
  })

  it("are horizontal behind their end", () => {
    assert.strictEqual(compareDiagrams([chunk(10, 4)], [chunk(10, 8)]), "better")
    assert.strictEqual(compareDiagrams([chunk(10, 4)], [chunk(10, 4), chunk(0, 4)]), "equal")
    assert.strictEqual(compareDiagrams([chunk(10, 4)], [chunk(10, 4), chunk(-1, 4)]), "better")
  })

  it("are incomparable where they cross", () =>
    assert.strictEqual(compareDiagrams([chunk(6, 2), chunk(1, 2)], [chunk(8, 4)]), "incomparable"))
})

describe("feerates", () => {
  it("compare exactly where both products round to one number", () => {
    assert.strictEqual(6_004_799_503_160_661 * 3, 6_004_799_503_160_662 * 3)
    assert.strictEqual(compareFeerates(6_004_799_503_160_661, 3, 6_004_799_503_160_662, 3), -1)
    assert.strictEqual(compareFeerates(-6_004_799_503_160_661, 3, -6_004_799_503_160_662, 3), 1)
    assert.strictEqual(compareFeerates(2 ** 53 - 1, 2 ** 26 - 1, 2 ** 53 - 2, 2 ** 26 - 1), 1)
  })
})
