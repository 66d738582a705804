import { assert, describe, it } from "vitest"
import { displayHash, hashOfText } from "../src/hex.ts"

describe("a hash in the digits that people write", () => {
  const shown = "00".repeat(28) + "0102aBcD"

  it("is read in wire order, in either case of letters, and written back in lower case", () => {
    const hash = hashOfText(shown)!
    assert.deepStrictEqual([...hash.subarray(0, 5)], [0xcd, 0xab, 2, 1, 0])
    assert.lengthOf(hash, 32)
    assert.strictEqual(displayHash(hash), shown.toLowerCase())
  })

  it("has exactly 64 digits and nothing else", () => {
    for (const wrong of ["", shown.slice(2), `${shown}00`, `0x${shown.slice(2)}`, `${shown.slice(1)}g`, `${shown}\n`]) {
      assert.isUndefined(hashOfText(wrong), JSON.stringify(wrong))
    }
  })
})
