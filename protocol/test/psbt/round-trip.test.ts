import * as Result from "effect/Result"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { encodePsbt } from "../../src/psbt/encode-psbt.ts"
import { check } from "../wire/check.ts"
import { decoded, faultOf, type Field, field, hex, serialized } from "./build.ts"

const KEY_A = "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5"
const KEY_B = "02f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9"
const SIGNATURE = "300602010102010101"

const some = (...fields: ReadonlyArray<Field>) => fc.subarray([...fields])

const data = (size: number) => fc.uint8Array({ minLength: size, maxLength: size }).map(hex)

const kept = fc.uniqueArray(fc.tuple(fc.integer({ min: 0x40, max: 0x60 }), data(2), data(3)), {
  selector: ([type, , key]) => `${type} ${key}`,
  maxLength: 3
}).map((all) => all.map(([type, value, key]) => field(type, value, key)))

const proprietary = fc.uniqueArray(data(3), { maxLength: 2 })
  .map((all) => all.map((key) => field(0xfc, "aabb", `02cafe05${key}`)))

const INPUT_FIELDS = some(
  field(0x01, "8bbdeb0b00000000160014a07dac8ab6ca942d379ed795f835ba71c9cc6885"),
  field(0x02, SIGNATURE, KEY_A),
  field(0x02, SIGNATURE, KEY_B),
  field(0x03, "01000000"),
  field(0x04, "51"),
  field(0x05, "52"),
  field(0x06, "aabbccdd00000080", KEY_B),
  field(0x06, "aabbccdd", KEY_A),
  field(0x0a, "01", "11".repeat(20)),
  field(0x0b, "02", "22".repeat(32)),
  field(0x0c, "03", "33".repeat(20)),
  field(0x0d, "04", "44".repeat(32)),
  field(0x13, "55".repeat(64)),
  field(0x14, "66".repeat(65), "77".repeat(64)),
  field(0x15, "51c0", "c0" + "88".repeat(64)),
  field(0x15, "51c0", "c1" + "88".repeat(32)),
  field(0x16, "02" + "22".repeat(32) + "11".repeat(32) + "aabbccdd", "99".repeat(32)),
  field(0x17, "aa".repeat(32)),
  field(0x18, "bb".repeat(32)),
  field(0x1a, KEY_B + KEY_A, KEY_A),
  field(0x1b, "cc".repeat(66), KEY_B + KEY_A),
  field(0x1c, "dd".repeat(32), KEY_B + KEY_A + "ee".repeat(32))
)

const FINAL_FIELDS = some(field(0x07, "51"), field(0x08, "0201aa00"))

const OUTPUT_FIELDS = some(
  field(0x00, "51"),
  field(0x01, "52"),
  field(0x02, "aabbccdd00000080", KEY_A),
  field(0x05, "aa".repeat(32)),
  field(0x06, "01c0015101c00152"),
  field(0x07, "00aabbccdd", "99".repeat(32)),
  field(0x08, KEY_B, KEY_A)
)

const shuffled = (...parts: ReadonlyArray<fc.Arbitrary<ReadonlyArray<Field>>>) =>
  fc.tuple(...parts).map((all) => all.flat())
    .chain((fields) => fc.shuffledSubarray(fields, { minLength: fields.length }))

const psbt = fc.record({
  globals: shuffled(
    fc.constant([
      field(2, "02000000"),
      field(4, "01"),
      field(5, "01"),
      field(0xfb, "02000000"),
      field(0x06, "03")
    ]),
    kept,
    proprietary
  ),
  input: shuffled(
    fc.constant([field(0x0e, "12".repeat(32)), field(0x0f, "01000000")]),
    fc.oneof(INPUT_FIELDS, FINAL_FIELDS),
    kept,
    proprietary
  ),
  output: shuffled(
    fc.constant([field(3, "8bbdeb0b00000000"), field(4, "51")]),
    OUTPUT_FIELDS,
    kept,
    proprietary
  )
})

describe("partially signed transactions, written and read", () => {
  it("every field is kept, whatever order it came in, and the order that is written is one", () => {
    check(fc.property(psbt, ({ globals, input, output }) => {
      const given = serialized(globals, input, output)
      const written = encodePsbt(Result.getOrThrow(decoded(given)))
      assert.strictEqual(written.length, given.length)
      assert.strictEqual(hex(encodePsbt(Result.getOrThrow(decoded(written)))), hex(written))
      const again = serialized(globals.toReversed(), input.toReversed(), output.toReversed())
      assert.strictEqual(hex(encodePsbt(Result.getOrThrow(decoded(again)))), hex(written))
    }))
  })

  it("a cut one, or one with more behind it, is refused", () => {
    check(fc.property(psbt, fc.nat(), ({ globals, input, output }, at) => {
      const given = serialized(globals, input, output)
      assert.isDefined(faultOf(given.subarray(0, at % given.length)))
      assert.strictEqual(faultOf(Uint8Array.of(...given, 0)), "extra data after PSBT")
    }))
  })

  it("a field may be there once, and a key of an output's tree must make a whole tree", () => {
    const output = [field(3, "8bbdeb0b00000000"), field(4, "51")]
    const whole = (...extra: ReadonlyArray<Field>) =>
      faultOf(serialized([field(2, "02000000"), field(4, "00"), field(5, "01"), field(0xfb, "02000000")], [
        ...output,
        ...extra
      ]))
    assert.strictEqual(whole(output[1]!), "Duplicate Key, output key \"04\" already provided: iostream error")
    for (const tree of ["01c00151", "00c0015100c00151", "02c0015101c0015101c00151", "01c0015102c00151"]) {
      assert.strictEqual(whole(field(6, tree)), "Output Taproot tree is malformed: iostream error", tree)
    }
    assert.match(whole(field(6, "81c00151"))!, /greater than Taproot maximum depth/)
    assert.match(whole(field(6, "00c10151"))!, /invalid leaf version/)
    for (const tree of ["00c00151", "02c0015102c0015101c00151", "01c0015102c0015102c00151"]) {
      assert.isUndefined(whole(field(6, tree)), tree)
    }
  })
})
