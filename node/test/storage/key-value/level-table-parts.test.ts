import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { openLevelStore } from "../../../src/storage/key-value/level-store.ts"
import { crc32c, unmasked } from "../../../src/storage/key-value/opening/crc32c.ts"
import { levelFilesFault } from "../../../src/storage/key-value/opening/level-files-fault.ts"
import { levelTableFault, levelTablesFault } from "../../../src/storage/key-value/opening/level-table-fault.ts"
import { temporaryDirectory } from "../temporary-directory.ts"

/** A number of seven bits a byte, lowest first. */
const number = (value: number): ReadonlyArray<number> =>
  value < 0x80 ? [value] : [value % 0x80 | 0x80, ...number(Math.floor(value / 0x80))]

const handle = (offset: number, size: number): ReadonlyArray<number> => [...number(offset), ...number(size)]

/** An entry whose key shares nothing with the one before. */
const entry = (key: string, value: ReadonlyArray<number>): ReadonlyArray<number> => [
  0,
  ...number(key.length),
  ...number(value.length),
  ...Buffer.from(key),
  ...value
]

const restarts = (places: ReadonlyArray<number>): ReadonlyArray<number> =>
  [...places, places.length].flatMap((place) => [place & 0xff, place >>> 8, 0, 0])

/** Blocks, one after another, each with its kind of compression and checksum. */
const tableOf = () => {
  const bytes: Array<number> = []
  return {
    bytes,
    add: (block: ReadonlyArray<number>): ReadonlyArray<number> => {
      const at = bytes.length
      const sum = crc32c(Uint8Array.from([...block, 0]))
      const masked = ((((sum >>> 15) | (sum << 17)) >>> 0) + 0xa282ead8) >>> 0
      bytes.push(...block, 0, masked & 0xff, (masked >>> 8) & 0xff, (masked >>> 16) & 0xff, masked >>> 24)
      return handle(at, block.length)
    }
  }
}

const MAGIC = [0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb]

const BLOCK = Array.from({ length: 300 }, (_, n) => n % 251)
/** Where the blocks of {@link sound} begin: three of data, one of filters, the index of filters, the index. */
const [SECOND, THIRD, FILTERS] = [305, 610, 915]

const sound = (): { readonly table: Uint8Array; readonly metaIndex: number; readonly index: number } => {
  const { add, bytes } = tableOf()
  const data = [add(BLOCK), add(BLOCK), add(BLOCK)]
  const filter = add([1, 2, 3])
  const metaIndex = bytes.length
  const filters = add([...entry("filter", filter), ...restarts([0])])
  const index = bytes.length
  const keys = ["a", "key of more", "z"]
  const entries = data.map((each, n) => entry(keys[n]!, each))
  const top = add([...entries.flat(), ...restarts([0, entries[0]!.length])])
  const footer = [...filters, ...top]
  bytes.push(...footer, ...Array.from({ length: 40 - footer.length }, () => 0), ...MAGIC)
  return { table: Uint8Array.from(bytes), metaIndex, index }
}

const flipped = (bytes: Uint8Array, at: number): Uint8Array => {
  const other = bytes.slice()
  other[at]! ^= 1
  return other
}

const damagedAt = (at: number): string => `the block at ${at} does not fit its checksum`

describe("the checksum of LevelDB", () => {
  it("is CRC-32C, stored rotated and shifted", () => {
    assert.strictEqual(crc32c(Buffer.from("123456789")), 0xe3069283)
    assert.strictEqual(crc32c(new Uint8Array(32)), 0x8a9136aa)
    assert.strictEqual(crc32c(new Uint8Array(0)), 0)
    // From its own tests: the mask of CRC-32C of "foo".
    assert.strictEqual(unmasked(((((0xcfc4ae1d >>> 15) | (0xcfc4ae1d << 17)) >>> 0) + 0xa282ead8) >>> 0), 0xcfc4ae1d)
    assert.strictEqual(unmasked(0xa282ead8), 0)
    assert.strictEqual(unmasked(0xa282ead7), 0xffffffff)
  })
})

describe("a sorted table of LevelDB", () => {
  it("is sound when each block fits its checksum", () => {
    const { index, metaIndex, table } = sound()
    assert.isUndefined(levelTableFault(table))
    for (const offset of [0, SECOND, THIRD, FILTERS]) {
      // Content, kind of compression and checksum.
      for (const at of [0, 2, 300, 301, 304].filter((place) => offset !== FILTERS || place < 3)) {
        assert.strictEqual(levelTableFault(flipped(table, offset + at)), damagedAt(offset), `at ${offset + at}`)
      }
    }
    for (const at of [metaIndex, index]) {
      assert.strictEqual(levelTableFault(flipped(table, at)), damagedAt(at))
    }
  })

  it("ends with its magic number, and is longer than its footer", () => {
    const { table } = sound()
    const wrong = "it does not end as a table does"
    for (let at = table.length - 8; at < table.length; at++) {
      assert.strictEqual(levelTableFault(flipped(table, at)), wrong)
    }
    assert.strictEqual(levelTableFault(table.subarray(0, table.length - 1)), wrong)
    for (const size of [0, 8, 47]) assert.strictEqual(levelTableFault(table.subarray(table.length - size)), wrong)
    // A footer alone: its blocks are nowhere.
    assert.include(levelTableFault(table.subarray(table.length - 48)), "does not fit its checksum")
  })

  it("is found in the middle of other bytes as well", () => {
    const { table } = sound()
    const around = new Uint8Array(table.length + 100).fill(7)
    around.set(table, 60)
    assert.isUndefined(levelTableFault(around.subarray(60, 60 + table.length)))
  })

  it("has no block beyond its end, nor one at a number without an end", () => {
    for (const wild of [handle(0, 1_000_000), Array.from({ length: 9 }, () => 0xff)]) {
      const { add, bytes } = tableOf()
      add(BLOCK)
      const top = add([...entry("a", wild), ...restarts([0])])
      const footer = [...top, ...top]
      bytes.push(...footer, ...Array.from({ length: 40 - footer.length }, () => 0), ...MAGIC)
      assert.match(levelTableFault(Uint8Array.from(bytes)) ?? "", /^the block at (0|NaN) does not fit its checksum$/)
    }
  })

  it("may end with a block whose checksum is its last bytes before the footer", () => {
    const { add, bytes } = tableOf()
    const only = add([...restarts([])])
    const footer = [...only, ...only]
    bytes.push(...footer, ...Array.from({ length: 40 - footer.length }, () => 0), ...MAGIC)
    assert.isUndefined(levelTableFault(Uint8Array.from(bytes)))
  })
})

/** A table of these blocks, named by one index block with a restart at each entry. */
const tableWith = (blocks: ReadonlyArray<ReadonlyArray<number>>, more: ReadonlyArray<number> = []): Uint8Array => {
  const { add, bytes } = tableOf()
  const entries = blocks.map((block) => entry("k", [...add(block), ...more]))
  const starts = entries.map((_, n) => entries.slice(0, n).flat().length)
  const top = add([...entries.flat(), ...restarts(starts)])
  const footer = [...top, ...top]
  bytes.push(...footer, ...Array.from({ length: 40 - footer.length }, () => 0), ...MAGIC)
  return Uint8Array.from(bytes)
}

const blockOf = (size: number): ReadonlyArray<number> => Array.from({ length: size }, (_, n) => n % 256)

describe("the numbers in a sorted table of LevelDB", () => {
  it("have seven bits a byte and eight bytes at most", () => {
    for (const size of [0, 1, 126, 127, 128, 129, 16_383, 16_384]) {
      const table = tableWith([blockOf(size)])
      assert.isUndefined(levelTableFault(table), `a block of ${size}`)
      assert.strictEqual(levelTableFault(flipped(table, size)), damagedAt(0), `a block of ${size}`)
    }
    const wild = (bytes: ReadonlyArray<number>): string | undefined => {
      const { add, bytes: table } = tableOf()
      const top = add([...entry("k", [...bytes, 0]), ...restarts([0])])
      const footer = [...top, ...top]
      table.push(...footer, ...Array.from({ length: 40 - footer.length }, () => 0), ...MAGIC)
      return levelTableFault(Uint8Array.from(table))
    }
    const ones = (count: number): ReadonlyArray<number> => Array.from({ length: count }, () => 0x80)
    assert.strictEqual(wild([...ones(7), 1]), damagedAt(2 ** 49))
    assert.strictEqual(wild([...ones(8), 1]), "the block at NaN does not fit its checksum")
  })

  it("name every block of an index, however many and small they are", () => {
    const blocks = Array.from({ length: 40 }, (_, n) => [n])
    const table = tableWith(blocks, [0, 0])
    assert.isUndefined(levelTableFault(table), "values may be longer than what they name")
    for (const n of [0, 20, 38, 39]) assert.strictEqual(levelTableFault(flipped(table, 6 * n)), damagedAt(6 * n))
  })

  it("never lead beyond the end of the table", () => {
    const { length } = tableWith([[1]])
    for (let size = length - 8; size < length + 8; size++) {
      const { add, bytes } = tableOf()
      add([1])
      const top = add([...entry("k", handle(0, size)), ...restarts([0])])
      const footer = [...top, ...top]
      bytes.push(...footer, ...Array.from({ length: 40 - footer.length }, () => 0), ...MAGIC)
      assert.strictEqual(levelTableFault(Uint8Array.from(bytes)), damagedAt(0))
    }
  })
})

/** A closed store whose few entries stand in one table. */
const storeWithTable = Effect.gen(function*() {
  const directory = yield* temporaryDirectory
  for (const opening of [1, 2]) {
    const store = yield* openLevelStore(directory)
    yield* store.write((batch) => batch.put(Uint8Array.of(1, opening), new Uint8Array(100)))
    yield* store.close
  }
  return directory
})

describe("the tables that a store of LevelDB names", () => {
  it.effect("are the only ones that are looked at, newest first, as long as there is time", () =>
    Effect.gen(function*() {
      const directory = yield* storeWithTable
      const name = fs.readdirSync(directory).find((each) => each.endsWith(".ldb"))!
      const table = join(directory, name)
      const content = fs.readFileSync(table)
      const fault = (): string | undefined => levelTablesFault(directory, 60_000)
      assert.isUndefined(fault())
      // No table is in use by its name alone, and none of these is.
      for (const other of ["999999.ldb", "999998.sst"]) fs.writeFileSync(join(directory, other), "half")
      fs.writeFileSync(join(directory, `${Number.parseInt(name, 10)}.tmp`), "half")
      assert.isUndefined(fault())
      fs.writeFileSync(table, content.subarray(1))
      assert.match(fault() ?? "", new RegExp(`^${name}: the block at \\d+ does not fit its checksum$`))
      assert.isUndefined(levelTablesFault(directory, -1), "there was no time")
      fs.rmSync(table)
      assert.isUndefined(fault(), "LevelDB itself says what is missing")
      fs.mkdirSync(table)
      assert.throws(fault, /EISDIR/)
    }))

  it.effect("are none without a manifest, of which LevelDB itself says what is wrong", () =>
    Effect.gen(function*() {
      const directory = yield* storeWithTable
      assert.isUndefined(levelTablesFault(join(directory, "missing"), 60_000))
      const name = fs.readdirSync(directory).find((each) => each.endsWith(".ldb"))!
      fs.writeFileSync(join(directory, name), "half")
      assert.strictEqual(levelTablesFault(directory, 60_000), `${name}: it does not end as a table does`)
      const current = fs.readFileSync(join(directory, "CURRENT"))
      fs.writeFileSync(join(directory, "CURRENT"), "MANIFEST-999999\n")
      assert.isUndefined(levelTablesFault(directory, 60_000))
      fs.writeFileSync(join(directory, "CURRENT"), current)
      fs.renameSync(join(directory, "CURRENT"), join(directory, "OTHER"))
      assert.isUndefined(levelTablesFault(directory, 60_000))
    }))
})

describe("the files of a LevelDB store", () => {
  it.effect("are a fault where tables stand without CURRENT, and where a log is damaged or no file", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      assert.isUndefined(levelFilesFault(join(directory, "missing")))
      assert.isUndefined(levelFilesFault(directory))
      for (const name of ["LOG", "000007.log", "7.ldb.tmp", "x.sst"]) fs.writeFileSync(join(directory, name), "")
      assert.isUndefined(levelFilesFault(directory))
      fs.writeFileSync(join(directory, "000003.sst"), "")
      assert.strictEqual(levelFilesFault(directory), "the file CURRENT is missing beside 000003.sst")
      fs.writeFileSync(join(directory, "CURRENT"), "")
      assert.isUndefined(levelFilesFault(directory))
      fs.writeFileSync(join(directory, "000007.log"), Buffer.alloc(40_000, 1))
      assert.match(levelFilesFault(directory) ?? "", /^000007\.log: /)
      fs.rmSync(join(directory, "000007.log"))
      fs.mkdirSync(join(directory, "000008.log"))
      assert.throws(() => levelFilesFault(directory), /000008\.log: it is a directory, not a file/)
    }))
})
