import { assert, describe, it } from "vitest"
import {
  ASN_FORM,
  bitsLeft,
  type BitSource,
  type IntegerForm,
  JUMP_FORM,
  MATCH_FORM,
  nextBit,
  nextInstruction,
  nextInteger
} from "../../src/asmap/bit-source.ts"
import { packed } from "./asmap-program.ts"

/** Bits to be read; those that fill the last byte are passed over. */
const source = (bits: string): BitSource => {
  const fill = (8 - bits.length % 8) % 8
  return { bytes: packed("1".repeat(fill) + bits), at: fill }
}

const read = (bits: string, form: IntegerForm): number | undefined => nextInteger(source(bits), form)

const zeros = (count: number): string => "0".repeat(count)
const ones = (count: number): string => "1".repeat(count)

describe("the bits of an asmap", () => {
  it("are read from the lowest of each byte, as long as there are some", () => {
    const bits = { bytes: Uint8Array.of(0b0000_0101, 0b1000_0000), at: 0 }
    const all = Array.from({ length: 17 }, () => [bitsLeft(bits), nextBit(bits)])
    const expected = [1, 0, 1, ...Array<number>(12).fill(0), 1].map((bit, i) => [16 - i, bit])
    assert.deepStrictEqual(all, [...expected, [0, undefined]])
    assert.strictEqual(bits.at, 16)
  })

  // Bitcoin Core (src/util/asmap.cpp): ASN from 1 in classes of 15 to 24 bits, MATCH from 2 in 1 to 8, JUMP from 17 in 5 to 30.
  it.each<readonly [name: string, form: IntegerForm, bits: string, value: number]>([
    ["system", ASN_FORM, `0${zeros(15)}`, 1],
    ["system", ASN_FORM, `0${ones(15)}`, 32_768],
    ["system", ASN_FORM, `10${zeros(16)}`, 32_769],
    ["system", ASN_FORM, `10${zeros(15)}1`, 32_770],
    ["system", ASN_FORM, `10${ones(1)}${zeros(15)}`, 65_537],
    ["system", ASN_FORM, `${ones(9)}${zeros(24)}`, 2 ** 24 - 2 ** 15 + 1],
    ["system", ASN_FORM, ones(9 + 24), 2 ** 25 - 2 ** 15],
    ["pattern", MATCH_FORM, "00", 2],
    ["pattern", MATCH_FORM, "01", 3],
    ["pattern", MATCH_FORM, "1000", 4],
    ["pattern", MATCH_FORM, ones(7 + 8), 511],
    ["jump", JUMP_FORM, zeros(6), 17],
    ["jump", JUMP_FORM, `10${zeros(6)}`, 49],
    ["jump", JUMP_FORM, ones(25 + 30), 2 ** 31 - 2 ** 5 + 16]
  ])("make a %s of %j from %s: %i", (_, form, bits, value) => {
    assert.strictEqual(read(bits, form), value)
    for (let length = 0; length < bits.length; length++) {
      assert.isUndefined(read(bits.slice(0, length), form), `${length} of the bits`)
    }
  })

  it.each(
    [["0", "return"], ["10", "jump"], ["110", "match"], ["111", "default"], ["", undefined], ["1", undefined], [
      "11",
      undefined
    ]] as const
  )("make of %j the instruction %s, and no more of them are read", (bits, instruction) => {
    const from = source(bits)
    assert.strictEqual(nextInstruction(from), instruction)
    assert.strictEqual(bitsLeft(from), 0)
  })
})
