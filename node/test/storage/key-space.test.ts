import { assert, describe, it } from "vitest"
import { hashedKey, KeySpace, namedKey, numberedKey, rangeOf } from "../../src/storage/key-space.ts"

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

describe("keys of the store", () => {
  it("have a first byte for each space, which no release changes", () => {
    assert.deepStrictEqual(
      Object.entries(KeySpace).map(([name, byte]) => `${String.fromCharCode(byte)} ${name}`),
      [
        "c coin",
        "d secondCoin",
        "h header",
        "f blockFile",
        "m meta",
        "t transactionIndex",
        "s coinStatistics",
        "n filterHeader",
        "g filter",
        "a addressHistory",
        "u addressUnspent",
        "v valueUnspent",
        "o spender",
        "i indexState"
      ]
    )
  })

  it("hold a name in ASCII, a number with its highest byte first, and a hash as it is", () => {
    assert.strictEqual(hex(namedKey(0x6d, "tip")), "6d746970")
    assert.strictEqual(hex(namedKey(0x6d, "")), "6d")
    assert.strictEqual(hex(numberedKey(0x66, 0x01020304)), "6601020304")
    assert.strictEqual(hex(numberedKey(0x68, 0xfffffffe, Uint8Array.of(9, 8))), "68fffffffe0908")
    assert.strictEqual(hex(hashedKey(0x74, Uint8Array.of(1, 2, 3))), "74010203")
  })

  it("of a space lie from its byte to the next one", () => {
    assert.deepStrictEqual(rangeOf(0x63), { from: Uint8Array.of(0x63), to: Uint8Array.of(0x64) })
  })
})
