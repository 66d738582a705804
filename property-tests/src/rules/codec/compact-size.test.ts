import { encodeCompactSize, readCompactSize } from "@lockstep/kernel/internal/bytes/compact-size.ts"
import { advance, cursorOn, nothingFollows } from "@lockstep/kernel/internal/bytes/cursor.ts"
import fc from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { check } from "../../check.ts"
import * as oracle from "../../oracles/compact-size.ts"
import { littleEndian } from "../../oracles/byte-string.ts"
import { verdictName } from "../../subject/kernel.ts"

const edgeSize = fc.oneof(
  fc.constantFrom(
    0,
    1,
    252,
    253,
    254,
    255,
    256,
    65_535,
    65_536,
    33_554_431,
    33_554_432,
    33_554_433,
    4_294_967_295,
    4_294_967_296,
    2 ** 53 - 1
  ),
  fc.nat(70_000),
  fc.maxSafeNat()
)

/** A marker with a value behind it that may be too small for it, cut somewhere, something following. */
const encoding = fc
  .tuple(fc.constantFrom(2, 4, 8), edgeSize, fc.uint8Array({ maxLength: 3 }), fc.nat(12))
  .map(([width, value, tail, cut]) =>
    Uint8Array.of(width === 2 ? 253 : width === 4 ? 254 : 255, ...littleEndian(value, width), ...tail).subarray(0, cut)
  )

const anyEncoding = fc.oneof(
  encoding,
  fc.uint8Array({ maxLength: 11 }),
  edgeSize.map((value) => encodeCompactSize(value))
)

describe("SER compact size and cursor", () => {
  it("SER-001/P1 verdict, value and bytes consumed equal the statement", () => {
    check(
      fc.property(anyEncoding, (bytes) => {
        const cursor = cursorOn(bytes)
        const value = readCompactSize(cursor)
        const expected = oracle.readCompactSize(bytes)
        agree(cursor.broken?.rule, typeof expected === "string" ? expected : undefined)
        if (typeof expected !== "string") agree([value, cursor.offset], [expected.value, expected.size])
      }),
      1000
    )
  })

  it("SER-001/P2 what is written is read back up to 33,554,432 and refused above", () => {
    check(
      fc.property(edgeSize, (value) => {
        const bytes = oracle.compactSize(value)
        const cursor = cursorOn(bytes)
        const read = readCompactSize(cursor)
        if (value <= 33_554_432) agree([read, cursor.offset, cursor.broken], [value, bytes.length, undefined])
        else agree(cursor.broken?.rule, "SER-001")
      })
    )
  })

  it("SER-002/P1 the bytes equal the statement", () => {
    check(fc.property(edgeSize, (value) => agree(encodeCompactSize(value), oracle.compactSize(value))))
  })

  it("SER-003/P1 verdict, start and new offset equal the statement; a refused cursor does not move", () => {
    const counts = fc.oneof(fc.nat(12), fc.constantFrom(2 ** 32 - 1, 2 ** 25))
    check(
      fc.property(fc.uint8Array({ maxLength: 10 }), fc.array(counts, { maxLength: 5 }), (bytes, steps) => {
        const cursor = cursorOn(bytes)
        let offset = 0
        for (const count of steps) {
          const fits = offset + count <= bytes.length
          agree(advance(cursor, count), fits ? offset : -1)
          if (fits) offset += count
          agree([cursor.offset, cursor.broken?.rule], [offset, fits ? undefined : "SER-003"])
          if (!fits) return
        }
      })
    )
  })

  it("SER-004/P1 the verdict equals the statement", () => {
    check(
      fc.property(fc.uint8Array({ maxLength: 6 }), fc.nat(6), (bytes, count) => {
        const cursor = cursorOn(bytes)
        if (advance(cursor, Math.min(count, bytes.length)) < 0) return
        agree(verdictName(nothingFollows(cursor)), count >= bytes.length ? "OK" : "SER-004")
      })
    )
  })
})
