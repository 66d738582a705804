import { assert, describe, it } from "vitest"
import {
  b0_255,
  b0_32,
  b0_64k,
  bool,
  f32,
  type Field,
  option,
  seq0_255,
  seq0_64k,
  str0_255,
  u16,
  u256,
  u32,
  u64,
  u8
} from "../stratum-v2/src/wire/fields.ts"

/** A field, whatever its values are. */
type AnyField = Pick<Field<unknown>, "read"> & { readonly write: (value: never) => Buffer }

/** A value as it is written, and how it is read back with a byte behind it. */
const both = (
  field: AnyField,
  value: unknown
): readonly [hex: string, value: unknown, left: number, isFaulty: boolean] => {
  const bytes = Buffer.concat([field.write(value as never), Buffer.of(0xee)])
  const from = { bytes, offset: 0, isFaulty: false }
  const read = field.read(from)
  return [bytes.subarray(0, -1).toString("hex"), read, bytes.length - from.offset, from.isFaulty]
}

/** What is read of bytes, and whether they are faulty. */
const readOf = (field: AnyField, hex: string): readonly [value: unknown, isFaulty: boolean] => {
  const from = { bytes: Buffer.from(hex, "hex"), offset: 0, isFaulty: false }
  return [field.read(from), from.isFaulty]
}

const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, "hex"))

describe("the fields of messages of Stratum V2", () => {
  it.each<readonly [name: string, field: AnyField, value: unknown, hex: string]>([
    ["a byte", u8, 0xfe, "fe"],
    ["two bytes", u16, 0x0102, "0201"],
    ["four bytes", u32, 0xffff_fffe, "feffffff"],
    ["eight bytes", u64, 0xffff_ffff_ffff_fffen, "feffffffffffffff"],
    ["a float", f32, 0.5, "0000003f"],
    ["true", bool, true, "01"],
    ["false", bool, false, "00"],
    ["32 bytes", u256, bytes("0a".repeat(32)), "0a".repeat(32)],
    ["up to 32 bytes", b0_32, bytes("0a".repeat(32)), `20${"0a".repeat(32)}`],
    ["up to 255 bytes", b0_255, bytes("0a0b"), "020a0b"],
    ["up to 64 KiB", b0_64k, bytes("0a0b"), "02000a0b"],
    ["no bytes", b0_255, bytes(""), "00"],
    ["a text", str0_255, "aä", "0361c3a4"],
    ["a list", seq0_255(u16), [1, 2], "0201000200"],
    ["a long list", seq0_64k(u8), [7], "010007"],
    ["an empty list", seq0_255(u16), [], "00"],
    ["a value", option(u8), 7, "0107"],
    ["no value", option(u8), undefined, "00"]
  ])("are written in little-endian order and read back, and no more is read: %s", (_, field, value, hex) => {
    assert.deepStrictEqual(both(field, value), [hex, value, 1, false])
  })

  it.each<readonly [name: string, field: AnyField, hex: string, value: unknown]>([
    ["a byte", u8, "", 0],
    ["two bytes", u16, "01", 0],
    ["eight bytes", u64, "00".repeat(7), 0n],
    ["a float", f32, "000000", 0],
    ["a float that is no number", f32, "0000c07f", NaN],
    ["a float without end", f32, "0000807f", Infinity],
    ["a truth that is none", bool, "02", false],
    ["32 bytes", u256, "0a".repeat(31), new Uint8Array(32)],
    ["33 of up to 32 bytes", b0_32, `21${"0a".repeat(33)}`, new Uint8Array(0)],
    ["bytes that are not all there", b0_255, "020a", new Uint8Array(0)],
    ["a text that is not all there", str0_255, "0261", ""],
    ["a text that is no UTF-8", str0_255, "01ff", ""],
    ["a value that is not there", option(u8), "01", 0]
  ])("that are cut or wrong are a fault: %s", (_, field, hex, value) => {
    assert.deepStrictEqual(readOf(field, hex), [value, true])
  })

  it("behind a fault are faults as well, and a list ends with the first", () => {
    assert.deepStrictEqual(readOf(seq0_255(u16), "ff0100"), [[1, 0], true])
    const from = { bytes: Buffer.from("020102", "hex"), offset: 0, isFaulty: false }
    bool.read(from)
    assert.deepStrictEqual([u8.read(from), from.isFaulty, from.offset], [0, true, 1])
  })
})
