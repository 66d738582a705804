import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { detectKey } from "../../../src/storage/block-files/detect-key.ts"
import { blockLayout, type FoundRecord, readBlockRecords } from "../../../src/storage/block-files/read-block-records.ts"
import { writeRecordHead } from "../../../src/storage/block-files/record.ts"
import { applyXor, NO_XOR, type XorKey, xorKeyOf } from "../../../src/storage/block-files/xor-key.ts"
import type { DiskFile } from "../../../src/storage/disk/disk.ts"
import { nodeDisk } from "../../../src/storage/disk/node-disk.ts"
import { temporaryDirectory } from "../temporary-directory.ts"

const MAGIC = Uint8Array.of(0xfa, 0xbf, 0xb5, 0xda)
const KEY = xorKeyOf(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 250))
const disk = nodeDisk("block-files")

const record = (bytes: Uint8Array, length = bytes.length): Uint8Array => {
  const framed = new Uint8Array(8 + bytes.length)
  writeRecordHead(framed, MAGIC, length)
  framed.set(bytes, 8)
  return framed
}
const body = (size: number, seed: number): Uint8Array =>
  Uint8Array.from({ length: size }, (_, i) => (i * 7 + seed) & 0x7f)
const noise = (size: number): Uint8Array => body(size, 3)

/** Writes the parts XORed, then zeros that are not. */
const fileOf = (path: string, parts: ReadonlyArray<Uint8Array>, key: XorKey, zeros: number): void => {
  const bytes = new Uint8Array(Buffer.concat(parts))
  applyXor(key, bytes, 0)
  fs.writeFileSync(path, Buffer.concat([bytes, new Uint8Array(zeros)]))
}

const found = Effect.fnUntraced(function*(
  path: string,
  key: XorKey,
  isRecord: (record: FoundRecord) => boolean = () => true,
  wrap: (file: DiskFile) => DiskFile = (file) => file
) {
  const records: Array<FoundRecord> = []
  const file = wrap(yield* disk.open(path, "read"))
  yield* readBlockRecords(file, blockLayout(MAGIC, key), (each) =>
    Effect.sync(() => {
      if (!isRecord(each)) return false
      records.push(each)
      return true
    }))
  yield* file.close
  return records
})

describe("reading block files in any state", () => {
  for (const [name, key] of [["plain", NO_XOR], ["XORed", KEY]] as const) {
    it.effect(`${name}: steps over garbage, what is cut short, and zeros behind the last record`, () =>
      Effect.gen(function*() {
        const path = join(yield* temporaryDirectory, "blk00000.dat")
        const parts = [
          noise(13),
          record(body(100, 1)),
          MAGIC,
          MAGIC,
          noise(5),
          record(body(81, 2)),
          record(body(20, 3)),
          record(body(300, 4), 5_000_000),
          record(body(500, 5)),
          record(body(90, 6)),
          record(body(200, 7), 400_000)
        ]
        fileOf(path, parts, key, 70_000)
        const records = yield* found(path, key)
        assert.deepStrictEqual(
          records.map(({ bytes }) => bytes),
          [[100, 1], [81, 2], [500, 5], [90, 6]].map(([size, seed]) => body(size!, seed!))
        )
        const content = fs.readFileSync(path)
        for (const { bytes, offset } of records) {
          const there = new Uint8Array(content.subarray(offset, offset + bytes.length))
          applyXor(key, there, offset)
          assert.deepStrictEqual(there, bytes)
        }
      }))
  }

  it.effect("searches on within what looks like a record and is none", () =>
    Effect.gen(function*() {
      const path = join(yield* temporaryDirectory, "blk00000.dat")
      const inner = record(body(100, 1))
      fileOf(path, [record(Buffer.concat([noise(90), inner, noise(40)]))], NO_XOR, 0)
      const records = yield* found(path, NO_XOR, ({ bytes }) => bytes.length === 100)
      assert.deepStrictEqual(records.map(({ bytes }) => bytes), [body(100, 1)])
    }))

  it.effect("finds records wherever windows end, and holds no more than a window and a record", () =>
    Effect.gen(function*() {
      const path = join(yield* temporaryDirectory, "blk00000.dat")
      const sizes = [4_000_000, 4_000_000, 194_288, 81, 3_999_999, 1_000_003, 81, 4_000_000, 2_500_001]
      fileOf(path, sizes.flatMap((size, i) => [record(body(size, i)), noise(i % 3)]), KEY, 100)
      let largest = 0
      const records = yield* found(path, KEY, undefined, (file) => ({
        ...file,
        read: (offset, size) =>
          Effect.tap(file.read(offset, size), ({ length }) => Effect.sync(() => (largest = Math.max(largest, length))))
      }))
      assert.deepStrictEqual(records.map(({ bytes }) => bytes.length), sizes)
      assert.isTrue(records.every(({ bytes }, i) => Buffer.compare(bytes, body(sizes[i]!, i)) === 0))
      assert.isAtMost(largest, 4 * 1024 * 1024 + 8)
      // The receiver may keep a record without keeping the window.
      assert.isTrue(records.every(({ bytes }) => bytes.buffer.byteLength === bytes.length))
    }))

  it.effect("reads little more than the first bytes of records where those are enough", () =>
    Effect.gen(function*() {
      const path = join(yield* temporaryDirectory, "blk00000.dat")
      const sizes = [300, 3_000_000, 2_000_000, 90, 100, 3_500_000, 1_000_000]
      fileOf(path, [...sizes.map((size, i) => record(body(size, i))), noise(10_000), record(body(500, 8))], KEY, 0)
      const file = yield* disk.open(path, "read")
      const heads: Array<FoundRecord> = []
      let total = 0
      const counting: DiskFile = {
        ...file,
        read: (offset, size) =>
          Effect.tap(file.read(offset, size), ({ length }) => Effect.sync(() => void (total += length)))
      }
      yield* readBlockRecords(counting, { ...blockLayout(MAGIC, KEY), head: 80 }, (each) =>
        Effect.sync(() =>
          heads.push(each) > 0
        ))
      yield* file.close
      assert.deepStrictEqual(heads.map(({ size }) => size), [...sizes, 500])
      assert.isTrue(heads.every(({ bytes, size }, i) =>
        Buffer.compare(bytes, body(size, i).subarray(0, 80)) === 0 || i === sizes.length
      ))
      // One window to begin with, and one where the next record is not where it should be.
      assert.isBelow(total, 4 * 1024 * 1024 + 100_000)
    }))

  it.effect("finds a magic that straddles two windows", () =>
    Effect.gen(function*() {
      for (const before of [1, 2, 3, 4]) {
        const path = join(yield* temporaryDirectory, "blk00000.dat")
        fileOf(path, [new Uint8Array(4 * 1024 * 1024 - before), record(body(100, 1))], NO_XOR, 0)
        assert.strictEqual((yield* found(path, NO_XOR)).length, 1)
      }
    }))

  it.effect("finds nothing in files that are empty or tiny", () =>
    Effect.gen(function*() {
      const path = join(yield* temporaryDirectory, "blk00000.dat")
      for (const content of [[], [1], [...MAGIC], [...MAGIC, 90, 0, 0], [...MAGIC, 90, 0, 0, 0]]) {
        fs.writeFileSync(path, Uint8Array.from(content))
        assert.deepStrictEqual(yield* found(path, NO_XOR), [])
      }
    }))
})

describe("the key of a file of blocks", () => {
  const detected = Effect.fnUntraced(function*(written: XorKey, beside: XorKey | undefined) {
    const directory = yield* temporaryDirectory
    if (beside !== undefined) fs.writeFileSync(join(directory, "xor.dat"), beside.bytes)
    fileOf(join(directory, "bootstrap.dat"), [noise(11), record(body(100, 1))], written, 0)
    const file = yield* disk.open(join(directory, "bootstrap.dat"), "read")
    const key = yield* detectKey(disk, file, MAGIC)
    yield* file.close
    return [...key.bytes]
  })

  it.effect("is the one beside it, unless the file was written without", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* detected(KEY, KEY), [...KEY.bytes])
      assert.deepStrictEqual(yield* detected(NO_XOR, KEY), [...NO_XOR.bytes])
      assert.deepStrictEqual(yield* detected(NO_XOR, NO_XOR), [...NO_XOR.bytes])
      assert.deepStrictEqual(yield* detected(NO_XOR, undefined), [...NO_XOR.bytes])
    }))
})
