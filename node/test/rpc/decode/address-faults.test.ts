import { assert, describe, it } from "@effect/vitest"
import { NETWORKS } from "@lockstep/protocol/networks/table.ts"
import { base58, bech32, bech32m } from "@scure/base"
import { base58CheckText } from "@lockstep/descriptors/script-text/base58-bytes.ts"
import { addressFault } from "../../../src/methods/decode/address-fault.ts"
import { bech32Fault } from "../../../src/methods/decode/bech32-errors.ts"
import { difficultyOf, bitsText, targetText } from "../../../src/answers/header-json.ts"

const { addresses } = NETWORKS.regtest
const address = (text: string): readonly [string, ReadonlyArray<number>] => {
  const { error, locations } = addressFault(text, addresses)
  return [error, locations]
}
const words = (bytes: number, byte = 1): Array<number> => bech32.toWords(new Uint8Array(bytes).fill(byte))
const UNKNOWN = "Invalid or unsupported Segwit (Bech32) or Base58 encoding."
const CHECKSUM = "Invalid checksum or length of Base58 address (P2PKH or P2SH)"

describe("why a text is no address", () => {
  it.each<readonly [what: string, text: string, error: string]>([
    [
      "a base58 text of a key hash with a byte too few",
      base58CheckText(Uint8Array.of(0x6f, ...new Uint8Array(19))),
      "Invalid length for Base58 address (P2PKH or P2SH)"
    ],
    [
      "of a script hash with a byte too few",
      base58CheckText(Uint8Array.of(0xc4, ...new Uint8Array(19))),
      "Invalid length for Base58 address (P2PKH or P2SH)"
    ],
    ["of another network", base58CheckText(new Uint8Array(21)), "Invalid or unsupported Base58-encoded address."],
    ["of a byte too many", base58CheckText(Uint8Array.of(0x6f, ...new Uint8Array(21))), CHECKSUM],
    ["with space around", ` ${base58CheckText(new Uint8Array(21))} `, "Invalid or unsupported Base58-encoded address."],
    ["a wrong checksum", "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfa", CHECKSUM],
    ["a hundred bytes", base58.encode(new Uint8Array(100).fill(9)), CHECKSUM],
    ["a byte more", base58.encode(new Uint8Array(101).fill(9)), UNKNOWN],
    ["two hundred digits of few bytes", "1".repeat(99) + base58.encode(Uint8Array.of(7)), CHECKSUM],
    ["more digits than are looked at", "1".repeat(201), UNKNOWN],
    ["no digits", "0OIl", UNKNOWN],
    ["nothing", "", CHECKSUM],
    [
      "version 0 with the other checksum",
      bech32m.encode("bcrt", [0, ...words(20)]),
      "Version 0 witness address must use Bech32 checksum"
    ],
    [
      "version 1 with the other checksum",
      bech32.encode("bcrt", [1, ...words(32)]),
      "Version 1+ witness address must use Bech32m checksum"
    ],
    ["bits left over", bech32.encode("bcrt", [0, ...words(20), 1]), "Invalid padding in Bech32 data section"],
    [
      "a program of version 0 of another size",
      bech32.encode("bcrt", [0, ...words(21)]),
      "Invalid Bech32 v0 address program size (21 bytes), per BIP141"
    ],
    [
      "a program of one byte",
      bech32.encode("bcrt", [0, ...words(1)]),
      "Invalid Bech32 v0 address program size (1 byte), per BIP141"
    ],
    ["a version above 16", bech32m.encode("bcrt", [17, ...words(32)]), "Invalid Bech32 address witness version"],
    ["a program too short", bech32m.encode("bcrt", [16, ...words(1)]), "Invalid Bech32 address program size (1 byte)"],
    [
      "a program too long",
      bech32m.encode("bcrt", [1, ...words(41)], 200),
      "Invalid Bech32 address program size (41 bytes)"
    ],
    ["nothing behind the prefix", bech32.encode("bcrt", []), "Empty Bech32 data section"],
    [
      "a longer prefix",
      bech32.encode("bcrtx", [0, ...words(20)]),
      "Invalid or unsupported prefix for Segwit (Bech32) address (expected bcrt, got bcrtx)."
    ]
  ])("%s", (what, text, error) => {
    if (text.length > 90 && text.startsWith("bcrt")) {
      return void assert.strictEqual(address(text)[0], "Bech32 string too long")
    }
    assert.deepStrictEqual(address(text), [error, []], what)
  })

  it("names the characters of bech32 that are most likely wrong", () => {
    const right = bech32.encode("bcrt", [0, ...words(20)])
    const withChange = (...places: ReadonlyArray<number>): string =>
      Array.from(right, (character, i) => places.includes(i) ? (character === "q" ? "p" : "q") : character).join("")
    assert.deepStrictEqual(address(withChange(5)), ["Invalid Bech32 checksum", [5]])
    assert.deepStrictEqual(address(withChange(right.length - 1)), ["Invalid Bech32 checksum", [right.length - 1]])
    assert.deepStrictEqual(address(withChange(9, 30)), ["Invalid Bech32 checksum", [9, 30]])
    assert.deepStrictEqual(address(withChange(6, 14, 25, 33)), ["Invalid checksum", []])
    const other = bech32m.encode("bcrt", [1, ...words(32)])
    const wrong = `${other.slice(0, 20)}${other[20] === "q" ? "p" : "q"}${other.slice(21)}`
    assert.deepStrictEqual(address(wrong), ["Invalid Bech32m checksum", [20]])
    assert.deepStrictEqual(address(wrong.toUpperCase()), ["Invalid Bech32m checksum", [20]])
  })

  it.each<readonly [what: string, text: string, error: string, locations: ReadonlyArray<number>]>([
    ["ninety characters and two", `bcrt1${"q".repeat(87)}`, "Bech32 string too long", [90, 91]],
    ["ninety characters", `bcrt1${"q".repeat(85)}`, "Invalid checksum", []],
    ["letters of both cases, the first ones small", "bcrt1qQpP", "Invalid character or mixed case", [6, 8]],
    ["letters of both cases, the first ones large", "BCRT1Qqp", "Invalid character or mixed case", [6, 7]],
    ["characters out of range", "bcrt1 \u007fqqqqqq", "Invalid character or mixed case", [5, 6]],
    ["characters at the ends of the range", "bcrt1!~qqqqqq", "Invalid Base 32 character", [5]],
    ["no separator", "bcrtqqqqqq", "Missing separator", []],
    ["the separator in front", "1qqqqqq", "Invalid separator position", [0]],
    ["too few characters behind the last separator", "bcrt1qqqqq1qqqqq", "Invalid separator position", [10]],
    ["just enough of them", "bcrt1qqqqqb", "Invalid Base 32 character", [10]]
  ])("as bech32: %s", (_, text, error, locations) => {
    assert.deepStrictEqual(bech32Fault(text), { error, locations })
  })
})

describe("targets", () => {
  it("have their difficulty, their digits and their compact form", () => {
    assert.deepStrictEqual(
      [0x1d00ffff, 0x1e00ffff, 0x1c00ffff, 0x1b0404cb, 0x207fffff].map(difficultyOf),
      [1, 1 / 256, 256, 16_307.420938523983, 0xffff / 0x7fffff / 256 ** 3]
    )
    assert.deepStrictEqual([bitsText(0x1d00ffff), bitsText(1)], ["1d00ffff", "00000001"])
    assert.strictEqual(targetText(0x1d00ffff), `00000000ffff${"0".repeat(52)}`)
    assert.strictEqual(targetText(0x01800000), "0".repeat(64))
  })
})
