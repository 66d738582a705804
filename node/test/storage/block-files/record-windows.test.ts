import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  blockLayout,
  type FoundRecord,
  readBlockRecords,
  type RecordLayout
} from "../../../src/storage/block-files/read-block-records.ts"
import { writeRecordHead } from "../../../src/storage/block-files/record.ts"
import { NO_XOR } from "../../../src/storage/block-files/xor-key.ts"
import type { DiskFile } from "../../../src/storage/disk/disk.ts"
import { MAGIC } from "./opened-files.ts"

const WINDOW = 4 * 1024 * 1024
const SMALL = 4096
const LAYOUT = blockLayout(MAGIC, NO_XOR)

/** A file of records at these places, zeros elsewhere. */
const contentOf = (length: number, records: ReadonlyArray<readonly [at: number, size: number]>): Uint8Array => {
  const content = new Uint8Array(length)
  for (const [at, size] of records) writeRecordHead(content.subarray(at), MAGIC, size)
  return content
}

/** What is found in a file, and which reads that takes. */
const walked = Effect.fnUntraced(function*(
  content: Uint8Array,
  changes: Partial<RecordLayout> = {},
  isRecord: (record: FoundRecord) => boolean = () => true
) {
  const reads: Array<readonly [number, number]> = []
  const found: Array<readonly [number, number, number]> = []
  const file = {
    read: (offset: number, size: number) =>
      Effect.sync(() => {
        reads.push([offset, size])
        return content.slice(offset, offset + size)
      })
  } as unknown as DiskFile
  yield* readBlockRecords(file, { ...LAYOUT, ...changes }, (record) =>
    Effect.sync(() => {
      found.push([record.offset, record.size, record.bytes.length])
      return isRecord(record)
    }))
  return { found, reads }
})

describe("the windows in which records are read", () => {
  it.effect("are of 4 MiB, or of 4 KiB after a record of which the head is enough", () =>
    Effect.gen(function*() {
      const end = 4_400_016 + 5_000 + 108
      const content = contentOf(end, [[0, 4_000_000], [4_000_008, 400_000 - 8], [4_400_016 + 5_000, 100]])
      const heads = yield* walked(content, { head: 80 })
      assert.deepStrictEqual(heads.found, [[8, 4_000_000, 80], [4_000_016, 399_992, 80], [4_405_024, 100, 80]])
      // The second record ends behind the first window; zeros follow it, so the next windows are long ones.
      assert.deepStrictEqual(heads.reads, [[0, WINDOW], [4_400_008, SMALL], [4_400_008 + SMALL - 3, WINDOW], [
        end,
        SMALL
      ]])
      const whole = yield* walked(content)
      assert.deepStrictEqual(whole.found, [[8, 4_000_000, 4_000_000], [4_000_016, 399_992, 399_992], [
        4_405_024,
        100,
        100
      ]])
      assert.deepStrictEqual(whole.reads, [[0, WINDOW], [4_000_008, WINDOW], [end, WINDOW]])
    }))

  it.effect("begin where the walk does, and go back to nothing before", () =>
    Effect.gen(function*() {
      const content = contentOf(400, [[0, 100], [108, 100], [300, 90]])
      const { found, reads } = yield* walked(content, { from: 108 })
      assert.deepStrictEqual(found, [[116, 100, 100], [308, 90, 90]])
      assert.deepStrictEqual(reads, [[108, WINDOW], [398, WINDOW]])
    }))

  it.effect("hold what belongs to a record behind it, where all of it is read", () =>
    Effect.gen(function*() {
      const content = contentOf(300, [[0, 100], [140, 100]])
      assert.deepStrictEqual((yield* walked(content, { behind: 32 })).found, [[8, 100, 132], [148, 100, 132]])
      assert.deepStrictEqual((yield* walked(content.slice(0, 279), { behind: 32 })).found, [[8, 100, 132]])
    }))

  it.effect("are searched one byte further on for a record behind one that is refused", () =>
    Effect.gen(function*() {
      const content = contentOf(400, [[10, 200], [18, 100], [150, 100]])
      const { found, reads } = yield* walked(content, {}, ({ size }) => size === 100)
      assert.deepStrictEqual(found, [[18, 200, 200], [26, 100, 100], [158, 100, 100]])
      assert.deepStrictEqual(reads, [[0, WINDOW], [397, WINDOW]])
      const heads = yield* walked(content, { head: 80 }, ({ size }) => size === 100)
      assert.deepStrictEqual(heads.reads, [[0, WINDOW], [397, WINDOW]])
    }))

  it.effect("have records from 81 to 4,000,000 bytes, and none that is cut short by a byte", () =>
    Effect.gen(function*() {
      for (const [size, isOne] of [[80, false], [81, true], [4_000_000, true], [4_000_001, false]] as const) {
        assert.lengthOf((yield* walked(contentOf(8 + size, [[0, size]]))).found, isOne ? 1 : 0, String(size))
      }
      assert.lengthOf((yield* walked(contentOf(107, [[0, 100]]))).found, 0)
    }))
})
