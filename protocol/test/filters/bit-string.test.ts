import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { bitReader, type BitWriter, bitWriter } from "../../src/filters/bit-string.ts"
import { check } from "../wire/check.ts"

/** A number with the bits it is written in; without them it is written in ones. */
type Item = { readonly value: number; readonly count: number | undefined }

const item: fc.Arbitrary<Item> = fc.oneof(
  fc.integer({ min: 0, max: 32 }).chain((count) =>
    fc.record({ value: fc.integer({ min: 0, max: 2 ** count - 1 }), count: fc.constant(count) })
  ),
  fc.record({ value: fc.integer({ min: 0, max: 70 }), count: fc.constant(undefined) })
)

const write = (writer: BitWriter, { count, value }: Item): void => {
  if (count === undefined) writer.unary(value)
  else writer.bits(value, count)
}

const digitsOf = ({ count, value }: Item): string =>
  count === undefined ? `${"1".repeat(value)}0` : count === 0 ? "" : value.toString(2).padStart(count, "0")

const bitsOf = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("")

describe("numbers bit by bit", () => {
  it("stand one behind the other, the highest bit first, filled up with zeros, however much room was expected", () => {
    check(
      fc.property(fc.array(item, { maxLength: 40 }), fc.nat(40), (items, capacity) => {
        const writer = bitWriter(capacity)
        for (const each of items) write(writer, each)
        const digits = items.map(digitsOf).join("")
        const whole = Math.ceil(digits.length / 8) * 8
        assert.strictEqual(bitsOf(writer.finish()), digits.padEnd(whole, "0"))
      }),
      300
    )
  })

  it("are read back, and leave what is behind them unread", () => {
    check(
      fc.property(fc.array(item, { maxLength: 40 }), fc.nat(5), (items, more) => {
        const writer = bitWriter(0)
        for (const each of items) write(writer, each)
        const reader = bitReader(Uint8Array.of(...writer.finish(), ...new Uint8Array(more)))
        for (const { count, value } of items) {
          assert.strictEqual(count === undefined ? reader.unary() : reader.bits(count), value)
        }
        assert.isFalse(reader.isBroken())
        assert.strictEqual(reader.unread(), more)
      }),
      300
    )
  })

  it("are zero from the end on, which shows", () => {
    const reader = bitReader(Uint8Array.of(0xff, 0xff))
    assert.strictEqual(reader.bits(16), 0xffff)
    assert.isFalse(reader.isBroken())
    assert.strictEqual(reader.bits(1), 0)
    assert.isTrue(reader.isBroken())
    const ones = bitReader(Uint8Array.of(0xff))
    assert.strictEqual(ones.unary(), 0)
    assert.isTrue(ones.isBroken())
    const last = bitReader(Uint8Array.of(0xfe))
    assert.deepStrictEqual([last.unary(), last.isBroken(), last.unread()], [7, false, 0])
  })
})
