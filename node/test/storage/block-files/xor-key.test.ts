import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { ensureXorKey } from "../../../src/storage/block-files/ensure-key.ts"
import { findKey } from "../../../src/storage/block-files/find-key.ts"
import { applyXor, NO_XOR, readXorKey, type XorKey, xorKeyOf } from "../../../src/storage/block-files/xor-key.ts"
import { nodeDisk } from "../../../src/storage/disk/node-disk.ts"
import { temporaryDirectory } from "../temporary-directory.ts"

const disk = nodeDisk("block-files")
const MAGIC = Uint8Array.of(0xfa, 0xbf, 0xb5, 0xda)
const KEY = xorKeyOf(Uint8Array.of(1, 2, 4, 8, 16, 32, 64, 128))
const OTHER = xorKeyOf(Uint8Array.of(9, 8, 7, 6, 5, 4, 3, 2))

const patterned = (size: number): Uint8Array => Uint8Array.from({ length: size }, (_, i) => (i * 73 + 5) & 0xff)

/** The beginning of a file of ours: zeros from 98 to 126. */
const fileOf = (key: XorKey, size = 200): Uint8Array => {
  const bytes = patterned(size)
  bytes.set(MAGIC)
  bytes.fill(0, 98, 126)
  applyXor(key, bytes, 0)
  return bytes
}

describe("the key of block files", () => {
  it("is laid over each byte by its place in the file, wherever the bytes stand in memory", () => {
    for (let start = 0; start < 5; start++) {
      for (let size = 0; size < 30; size++) {
        for (const offset of [0, 1, 3, 4, 7, 8, 1_000_003]) {
          const memory = patterned(40)
          applyXor(KEY, memory.subarray(start, start + size), offset)
          const expected = patterned(40).map((byte, i) =>
            i < start || i >= start + size ? byte : byte ^ KEY.bytes[(offset + i - start) % 8]!
          )
          assert.deepStrictEqual(memory, expected, `${start} ${size} ${offset}`)
        }
      }
    }
    const untouched = patterned(40)
    applyXor(NO_XOR, untouched, 3)
    assert.deepStrictEqual(untouched, patterned(40))
  })

  it("is nothing when all its bytes are zero", () => {
    assert.isTrue(xorKeyOf(new Uint8Array(8)).isZero)
    for (let at = 0; at < 8; at++) assert.isFalse(xorKeyOf(new Uint8Array(8).fill(1, at, at + 1)).isZero)
  })

  it.effect("is read whole or not at all", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      assert.isUndefined(yield* readXorKey(disk, directory, ["blk00000.dat"]))
      for (const size of [0, 7, 9]) {
        fs.writeFileSync(join(directory, "xor.dat"), patterned(size))
        const error = yield* Effect.flip(readXorKey(disk, directory, ["xor.dat"]))
        assert.deepStrictEqual([error.reason, error.operation, error.path], [
          "corrupt",
          "open",
          join(directory, "xor.dat")
        ])
        assert.include(error.message, `holds ${size} bytes, a key has 8`)
      }
      fs.writeFileSync(join(directory, "xor.dat"), KEY.bytes)
      assert.deepStrictEqual(yield* readXorKey(disk, directory, ["xor.dat"]), KEY)
    }))

  it.effect("is found in a file that begins with a block, and in no other", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const find = (stated?: XorKey) => findKey(disk, directory, fs.readdirSync(directory), MAGIC, stated)
      const write = (name: string, bytes: Uint8Array): void => fs.writeFileSync(join(directory, name), bytes)
      const changed = (at: number): Uint8Array => {
        const bytes = fileOf(KEY)
        bytes[at]! ^= 1
        return bytes
      }
      assert.isUndefined(yield* find())
      write("rev00000.dat", fileOf(KEY))
      write("notes.dat", fileOf(KEY))
      write("blk00000.dat", fileOf(KEY).subarray(0, 119))
      for (const [i, at] of [0, 3, 104, 111, 112, 119].entries()) write(`blk0000${i + 1}.dat`, changed(at))
      assert.isUndefined(yield* find(KEY))
      write("blk00007.dat", fileOf(OTHER).subarray(0, 120))
      assert.deepStrictEqual(yield* find(), OTHER)
      write("blk00008.dat", fileOf(KEY))
      assert.deepStrictEqual(yield* find(), OTHER)
      assert.deepStrictEqual(yield* find(KEY), KEY)
      write("blk00007.dat", fileOf(NO_XOR))
      assert.deepStrictEqual(yield* find(), NO_XOR)
    }))

  it.effect("is made for a new directory, kept, and made again from what the files show", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const path = join(directory, "xor.dat")
      const said: Array<string> = []
      const warn = (message: string): void => void said.push(message)
      const ensure = (isXored?: boolean) =>
        Effect.suspend(() => {
          said.length = 0
          return ensureXorKey(disk, directory, fs.readdirSync(directory), { magic: MAGIC, warn, isXored })
        })
      const stored = (): Uint8Array => new Uint8Array(fs.readFileSync(path))
      const made = yield* ensure()
      assert.isFalse(made.isZero)
      assert.deepStrictEqual(made.bytes, stored())
      assert.deepStrictEqual(yield* ensure(), made)
      assert.deepStrictEqual(said, [])
      // A damaged one beside no files is made anew, and one more time it is another.
      fs.writeFileSync(path, "short")
      assert.notDeepEqual((yield* ensure()).bytes, made.bytes)
      fs.writeFileSync(path, KEY.bytes)
      fs.writeFileSync(join(directory, "blk00000.dat"), fileOf(KEY))
      assert.deepStrictEqual(yield* ensure(), KEY)
      assert.deepStrictEqual(said, [])
      for (const damage of [() => fs.writeFileSync(path, OTHER.bytes), () => fs.writeFileSync(path, "short")]) {
        damage()
        assert.deepStrictEqual(yield* ensure(), KEY)
        assert.deepStrictEqual(said, [`${path} was damaged: it was made again from what the block files show`])
        assert.deepStrictEqual(stored(), KEY.bytes)
      }
      fs.rmSync(path)
      assert.deepStrictEqual(yield* ensure(), KEY)
      assert.deepStrictEqual(said, [`${path} was missing: it was made again from what the block files show`])
      // Files without a key need not have had one.
      fs.rmSync(path)
      fs.writeFileSync(join(directory, "blk00000.dat"), fileOf(NO_XOR))
      assert.isTrue((yield* ensure()).isZero)
      assert.deepStrictEqual([said.length, ...stored()], [0, 0, 0, 0, 0, 0, 0, 0, 0])
      // Nothing shows a key: what is there counts, unless it is none.
      fs.writeFileSync(join(directory, "blk00000.dat"), "")
      fs.writeFileSync(path, OTHER.bytes)
      assert.deepStrictEqual(yield* ensure(), OTHER)
      fs.writeFileSync(path, "short")
      assert.strictEqual((yield* Effect.flip(ensure())).reason, "corrupt")
      assert.deepStrictEqual(stored(), new Uint8Array(Buffer.from("short")))
    }))

  it.effect("is zero in a new directory whose files are to have none, and no other is taken away", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const path = join(directory, "xor.dat")
      const ensure = (isXored: boolean) =>
        Effect.suspend(() =>
          ensureXorKey(disk, directory, fs.readdirSync(directory), { magic: MAGIC, warn: () => {}, isXored })
        )
      assert.isTrue((yield* ensure(false)).isZero)
      assert.deepStrictEqual([...fs.readFileSync(path)], [0, 0, 0, 0, 0, 0, 0, 0])
      // It was made without, so it stays so.
      assert.isTrue((yield* ensure(true)).isZero)
      fs.writeFileSync(path, KEY.bytes)
      const hex = Buffer.from(KEY.bytes).toString("hex")
      assert.include((yield* Effect.flip(ensure(false))).message, `The key ${hex} of ${path}`)
      // Even if the files show that they have none: what is stored counts.
      fs.writeFileSync(join(directory, "blk00000.dat"), fileOf(NO_XOR))
      assert.include((yield* Effect.flip(ensure(false))).message, hex)
      assert.deepStrictEqual(new Uint8Array(fs.readFileSync(path)), KEY.bytes)
      fs.rmSync(path)
      assert.isTrue((yield* ensure(false)).isZero)
      fs.rmSync(path)
      fs.writeFileSync(join(directory, "blk00000.dat"), fileOf(KEY))
      assert.include((yield* Effect.flip(ensure(false))).message, hex)
      assert.isFalse(fs.existsSync(path))
    }))
})
