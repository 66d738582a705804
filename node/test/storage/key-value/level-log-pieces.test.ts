import { assert, describe, it } from "vitest"
import { crc32c } from "../../../src/storage/key-value/opening/crc32c.ts"
import { levelLogFault } from "../../../src/storage/key-value/opening/level-log-fault.ts"

const BLOCK = 32_768
const [WHOLE, FIRST, MIDDLE, LAST] = [1, 2, 3, 4]

/** A piece of a log as LevelDB writes it. */
const piece = (type: number, size: number, fill = 0x55): Uint8Array => {
  const bytes = new Uint8Array(7 + size).fill(fill, 7)
  const view = new DataView(bytes.buffer)
  view.setUint16(4, size, true)
  bytes[6] = type
  const sum = crc32c(bytes.subarray(6))
  view.setUint32(0, ((((sum >>> 15) | (sum << 17)) >>> 0) + 0xa282ead8) >>> 0, true)
  return bytes
}
const log = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => new Uint8Array(Buffer.concat(parts))
const zeros = (size: number): Uint8Array => new Uint8Array(size)
const flipped = (bytes: Uint8Array, at: number): Uint8Array => {
  const other = bytes.slice()
  other[at]! ^= 1
  return other
}
/** The same with nothing from one byte to another. */
const erased = (bytes: Uint8Array, from: number, to: number): Uint8Array => bytes.slice().fill(0, from, to)

describe("the pieces of a log of LevelDB", () => {
  it("follow each other: a whole one, or a first, middle ones and a last", () => {
    for (
      const types of [[], [WHOLE], [WHOLE, WHOLE], [FIRST, LAST, WHOLE], [FIRST, MIDDLE, MIDDLE, LAST], [FIRST], [
        FIRST,
        MIDDLE
      ]]
    ) {
      assert.isUndefined(levelLogFault(log(...types.map((type) => piece(type, 20)))), types.join())
    }
    const wrong = [[MIDDLE], [LAST], [WHOLE, LAST], [FIRST, WHOLE], [FIRST, FIRST], [FIRST, MIDDLE, WHOLE], [
      FIRST,
      LAST,
      LAST
    ]]
    for (const types of wrong) {
      const at = 27 * (types.length - 1)
      const fault = levelLogFault(log(...types.map((type) => piece(type, 20))))
      assert.strictEqual(fault, `the record at ${at} does not follow the one before it`, types.join())
    }
  })

  it("may be cut off anywhere in the last one, and nothing else", () => {
    const whole = log(piece(WHOLE, 20), piece(WHOLE, 30))
    for (let end = 0; end <= whole.length; end++) assert.isUndefined(levelLogFault(whole.subarray(0, end)), `at ${end}`)
    assert.strictEqual(levelLogFault(flipped(whole, 3)), "the record at 0 does not fit its checksum")
    assert.strictEqual(levelLogFault(flipped(whole, 26)), "the record at 0 does not fit its checksum")
    assert.strictEqual(levelLogFault(flipped(whole, 30)), "the record at 27 does not fit its checksum")
    assert.strictEqual(levelLogFault(flipped(whole, whole.length - 1)), "the record at 27 does not fit its checksum")
  })

  it("begin seven bytes or more before the end of a block", () => {
    for (const left of [0, 1, 6]) {
      const first = piece(WHOLE, BLOCK - 7 - left)
      assert.isUndefined(levelLogFault(log(first, zeros(left), piece(WHOLE, 20))), `${left} bytes left`)
      const next = flipped(log(first, zeros(left), piece(WHOLE, 20)), BLOCK + 10)
      assert.strictEqual(levelLogFault(next), `the record at ${BLOCK} does not fit its checksum`)
    }
    const exact = piece(WHOLE, BLOCK - 14)
    assert.isUndefined(levelLogFault(log(exact, piece(WHOLE, 0), piece(WHOLE, 20))), "an empty one fits in seven")
    const long = piece(WHOLE, 20)
    new DataView(long.buffer).setUint16(4, BLOCK - 6, true)
    assert.strictEqual(levelLogFault(long), "a record at 0 is longer than its block")
    new DataView(long.buffer).setUint16(4, BLOCK - 7, true)
    assert.isUndefined(levelLogFault(long), "as long as its block, and cut off")
  })

  it("may have sectors that were never written in the last batch, not in one that another follows", () => {
    const [first, second] = [piece(WHOLE, 1_100), piece(WHOLE, 1_100)]
    const both = log(first, second)
    // The second begins at 1,107: the sectors from 1,536 on are its own alone.
    assert.isUndefined(levelLogFault(erased(both, 1_536, 2_048)))
    assert.isUndefined(levelLogFault(erased(both, 2_048, both.length)), "the part of a sector at the end")
    assert.strictEqual(levelLogFault(erased(both, 1_537, 2_048)), "the record at 1107 does not fit its checksum")
    assert.strictEqual(levelLogFault(erased(both, 1_536, 2_047)), "the record at 1107 does not fit its checksum")
    assert.strictEqual(levelLogFault(erased(both, 512, 1_024)), "the record at 0 does not fit its checksum")
    assert.strictEqual(levelLogFault(log(zeros(512), second)), "a record at 0 has no type")
    assert.isUndefined(levelLogFault(zeros(512)))
    assert.isUndefined(levelLogFault(log(first, zeros(40_000))), "room that was set aside")
  })

  it("of a torn batch may stand in later blocks, but none that begins another", () => {
    const parts = [piece(FIRST, BLOCK - 7), piece(MIDDLE, BLOCK - 7), piece(LAST, 500)]
    const torn = erased(log(...parts), 1_024, 1_536)
    assert.isUndefined(levelLogFault(torn))
    for (const type of [WHOLE, FIRST]) {
      assert.strictEqual(levelLogFault(log(torn, piece(type, 9))), "the record at 0 does not fit its checksum")
    }
    assert.isUndefined(levelLogFault(log(torn, piece(MIDDLE, 9))))
    const later = log(erased(piece(WHOLE, BLOCK - 7), 1_024, 1_536), zeros(BLOCK), piece(WHOLE, 9))
    assert.strictEqual(levelLogFault(later), "the record at 0 does not fit its checksum")
  })
})
