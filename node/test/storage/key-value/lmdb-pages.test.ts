import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { lmdbFile } from "../../../src/storage/key-value/lmdb-database.ts"
import { lmdbFileFault, lmdbFreeListFault } from "../../../src/storage/key-value/opening/lmdb-file-fault.ts"
import { freePages, pageSet } from "../../../src/storage/key-value/opening/lmdb-free-list.ts"
import {
  childAt,
  inspectLmdb,
  isBranch,
  type LmdbCommit,
  type LmdbFile,
  LmdbFault,
  nodesOf,
  treePage
} from "../../../src/storage/key-value/opening/lmdb-pages.ts"
import { temporaryDirectory } from "../temporary-directory.ts"

const SIZE = 512
const NOTHING = 0xffff_ffff_ffff_ffffn
const [BRANCH, LEAF] = [1, 2]

interface Tree {
  readonly root?: number
  readonly depth?: number
}

interface Meta {
  readonly transaction: bigint
  readonly lastPage?: number
  readonly free?: Tree
  readonly main?: Tree
}

const metaPage = ({ free = {}, lastPage = 9, main = {}, transaction }: Meta, pageSize: number): Buffer => {
  const page = Buffer.alloc(pageSize)
  page.writeUInt32LE(0xbeefc0de, 24)
  for (const [at, { depth = 1, root }] of [[48, free], [96, main]] as const) {
    page.writeUInt16LE(depth, at + 6)
    page.writeBigUInt64LE(root === undefined ? NOTHING : BigInt(root), at + 40)
  }
  page.writeUInt32LE(pageSize, 48)
  page.writeBigUInt64LE(BigInt(lastPage), 144)
  page.writeBigUInt64LE(transaction, 152)
  return page
}

/** A page of a tree with these entries, from its end on. */
const treeWith = (kind: number, number: number, nodes: ReadonlyArray<Uint8Array>): Buffer => {
  const page = Buffer.alloc(SIZE)
  page.writeBigUInt64LE(BigInt(number), 0)
  page.writeUInt16LE(kind, 18)
  page.writeUInt16LE(nodes.length * 2, 20)
  let end = SIZE
  for (const [i, node] of nodes.entries()) {
    end -= node.length
    page.set(node, end)
    page.writeUInt16LE(end - 24, 24 + 2 * i)
  }
  return page
}

const words = (...numbers: ReadonlyArray<number | bigint>): Buffer => {
  const bytes = Buffer.alloc(8 * numbers.length)
  for (const [i, each] of numbers.entries()) bytes.writeBigInt64LE(BigInt(each), 8 * i)
  return bytes
}

/** An entry with a key of so many bytes; `size`: of a value that lies elsewhere. */
const leafNode = (value: Uint8Array, { flags = 0, key = 8, size = value.length } = {}): Buffer => {
  const node = Buffer.alloc(8 + key + value.length)
  node.writeUInt32LE(size, 0)
  node.writeUInt16LE(flags, 4)
  node.writeUInt16LE(key, 6)
  node.set(value, 8 + key)
  return node
}

const branchNode = (child: number): Buffer => {
  const node = Buffer.alloc(8)
  node.writeUInt32LE(child % 2 ** 32, 0)
  node.writeUInt16LE(Math.floor(child / 2 ** 32), 4)
  return node
}

/** A file with two heads, and these pages among ten. */
const fileWith = (
  metas: readonly [Meta, Meta],
  pages: Readonly<Record<number, Buffer>> = {},
  pageSize = SIZE
): Buffer =>
  Buffer.concat(
    Array.from({ length: 10 }, (_, number) =>
      number < 2 ? metaPage(metas[number as 0 | 1], pageSize) : pages[number] ?? Buffer.alloc(pageSize))
  )

/** A file whose list of free pages is this leaf, at page 2. */
const withList = (
  records: ReadonlyArray<Uint8Array>,
  more: Readonly<Record<number, Buffer>> = {},
  meta: Partial<Meta> = {}
) =>
  fileWith([{ transaction: 1n }, { transaction: 2n, free: { root: 2 }, ...meta }], {
    2: treeWith(LEAF, 2, records),
    ...more
  })

const inspected = Effect.fnUntraced(function*(content: Uint8Array, use: (file: LmdbFile) => void) {
  const path = join(yield* temporaryDirectory, "data.mdb")
  fs.writeFileSync(path, content)
  return inspectLmdb(path, use)
})

const freeIn = Effect.fnUntraced(function*(content: Uint8Array) {
  let found: ReadonlyArray<number> = []
  const fault = yield* inspected(content, (file) => {
    const { has } = freePages(file)
    found = Array.from({ length: 10 }, (_, page) => page).filter(has)
  })
  return fault ?? found.join()
})

describe("the head of an LMDB file", () => {
  const commitOf = Effect.fnUntraced(function*(content: Uint8Array) {
    let commit: LmdbCommit | undefined
    const fault = yield* inspected(content, (file) => void (commit = file.commit))
    return fault ?? commit
  })

  it.effect("is the newer of two pages", () =>
    Effect.gen(function*() {
      const one: Meta = { transaction: 7n, lastPage: 8, free: { root: 3, depth: 2 }, main: { root: 5, depth: 4 } }
      const other: Meta = { transaction: 6n, lastPage: 9 }
      const expected = {
        pageSize: SIZE,
        lastPage: 8,
        free: { root: 3, depth: 2 },
        main: { root: 5, depth: 4 }
      }
      const empty = { root: undefined, depth: 1 }
      assert.deepStrictEqual(yield* commitOf(fileWith([one, other])), expected)
      assert.deepStrictEqual(yield* commitOf(fileWith([other, one])), expected)
      const later = [{ ...one, transaction: 256n }, { ...other, transaction: 255n }] as const
      assert.deepStrictEqual(yield* commitOf(fileWith(later)), expected)
      assert.deepStrictEqual(yield* commitOf(fileWith([one, { ...other, transaction: 7n }])), {
        pageSize: SIZE,
        lastPage: 9,
        free: empty,
        main: empty
      })
    }))

  it.effect("is none where a page of it is another one, or pages have a length that none has", () =>
    Effect.gen(function*() {
      const metas = [{ transaction: 1n }, { transaction: 2n }] as const
      const sound = fileWith(metas)
      for (const size of [1, 100, 159]) {
        assert.strictEqual(yield* commitOf(sound.subarray(0, size)), "its first page is not that of an LMDB file")
      }
      const changed = (at: number): Buffer => {
        const content = Buffer.from(sound)
        content[at]! ^= 1
        return content
      }
      assert.strictEqual(yield* commitOf(changed(24)), "its first page is not that of an LMDB file")
      assert.strictEqual(yield* commitOf(changed(SIZE + 24)), "its second page is not that of an LMDB file")
      assert.strictEqual(yield* commitOf(sound.subarray(0, SIZE + 159)), "its second page is not that of an LMDB file")
      assert.deepInclude(yield* commitOf(sound.subarray(0, SIZE + 160)), { pageSize: SIZE })
      for (const size of [256, 511, 513, 768, 131_072]) {
        const content = Buffer.from(sound)
        content.writeUInt32LE(size, 48)
        assert.strictEqual(yield* commitOf(content), `its page size reads ${size}`)
      }
      for (const size of [1_024, 65_536]) {
        assert.deepInclude(yield* commitOf(fileWith(metas, {}, size).subarray(0, 2 * size)), { pageSize: size })
      }
    }))

  it.effect("is not looked for in a file that is empty, and what else goes wrong is thrown", () =>
    Effect.gen(function*() {
      assert.isUndefined(yield* inspected(new Uint8Array(0), () => assert.fail("it is empty")))
      const path = join(yield* temporaryDirectory, "data.mdb")
      fs.writeFileSync(path, fileWith([{ transaction: 1n }, { transaction: 2n }]))
      const thrown = (error: Error): string | undefined =>
        inspectLmdb(path, () => {
          throw error
        })
      assert.strictEqual(thrown(new LmdbFault("as it says")), "as it says")
      assert.strictEqual(thrown(new RangeError("outside")), "one of its pages makes no sense")
      assert.throws(() => thrown(new TypeError("ours")), "ours")
    }))
})

describe("a page of an LMDB file", () => {
  it.effect("is read from the third to the last, as far as the file goes", () =>
    Effect.gen(function*() {
      const marked = Buffer.alloc(SIZE, 7)
      const content = fileWith([{ transaction: 1n }, { transaction: 2n, lastPage: 8 }], { 2: marked, 8: marked })
      const read = (page: number, length = SIZE) =>
        Effect.gen(function*() {
          let sum = 0
          const fault = yield* inspected(content.subarray(0, 9 * SIZE - 1), ({ read: at }) => {
            const view = at(page, length)
            for (let i = 0; i < view.byteLength; i++) sum += view.getUint8(i)
          })
          return fault ?? sum
        })
      assert.strictEqual(yield* read(2), 7 * SIZE)
      assert.strictEqual(yield* read(8, SIZE - 1), 7 * (SIZE - 1))
      assert.strictEqual(
        yield* read(8),
        `it has ${9 * SIZE - 1} bytes, and its last commit needs more: page 8 is missing`
      )
      for (const page of [0, 1, 9, -1, Number.NaN]) {
        assert.strictEqual(yield* read(page), `it refers to page ${page} of 9`)
      }
    }))

  it.effect("of a tree says its own number and kind, and where its entries are", () =>
    Effect.gen(function*() {
      const far = 5 * 2 ** 32 + 6
      const pages = {
        2: treeWith(LEAF, 2, [leafNode(words(1))]),
        3: treeWith(BRANCH, 3, [branchNode(4), branchNode(far)]),
        4: treeWith(LEAF, 5, []),
        6: treeWith(4, 6, []),
        7: treeWith(0, 7, [])
      }
      const content = fileWith([{ transaction: 1n }, { transaction: 2n }], pages)
      const at = (page: number) =>
        Effect.gen(function*() {
          let found: unknown
          const fault = yield* inspected(content, (file) => {
            const view = treePage(file, page)
            const nodes = nodesOf(view)
            found = {
              nodes,
              isBranch: isBranch(view),
              children: isBranch(view)
                ? nodes.map((node) => childAt(view, node))
                : []
            }
          })
          return fault ?? found
        })
      assert.deepStrictEqual(yield* at(2), { nodes: [SIZE - 24], isBranch: false, children: [] })
      assert.deepStrictEqual(yield* at(3), { nodes: [SIZE - 8, SIZE - 16], isBranch: true, children: [4, far] })
      assert.strictEqual(yield* at(4), "page 4 says that it is page 5")
      for (const page of [6, 7]) assert.strictEqual(yield* at(page), `page ${page} is of no kind that a tree has`)
    }))
})

describe("the list of free pages of LMDB", () => {
  it("is a set of pages up to the last one", () => {
    const set = pageSet(16)
    for (const page of [0, 7, 8, 16]) set.add(page)
    assert.deepStrictEqual(Array.from({ length: 18 }, (_, page) => page).filter(set.has), [0, 7, 8, 16])
  })

  it.effect("has records of pages, of runs of pages, and room for more", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* freeIn(fileWith([{ transaction: 1n }, { transaction: 2n }])), "", "no tree")
      assert.strictEqual(yield* freeIn(withList([leafNode(words(2, 3, 5))])), "3,5")
      assert.strictEqual(yield* freeIn(withList([leafNode(words(4, 0, 4, 0, 9))])), "4,9")
      assert.strictEqual(yield* freeIn(withList([leafNode(words(3, -3, 5, 9))])), "5,6,7,9")
      assert.strictEqual(yield* freeIn(withList([leafNode(words(2, -1, 5))])), "5", "a run of one")
      assert.strictEqual(yield* freeIn(withList([leafNode(words(1, 3, 5))])), "3", "as many as it says")
      assert.strictEqual(yield* freeIn(withList([leafNode(words(0)), leafNode(words(1, 4), { key: 6 })])), "4")
      assert.strictEqual(yield* freeIn(withList([leafNode(words(2, -8, 2))])), "2,3,4,5,6,7,8,9")
    }))

  it.effect("has long records in pages of their own", () =>
    Effect.gen(function*() {
      const long = words(2, 3, 5)
      const own = Buffer.concat([treeWith(4, 7, []).subarray(0, 24), long, Buffer.alloc(SIZE - 24 - long.length)])
      const record = leafNode(words(7), { flags: 1, size: long.length })
      assert.strictEqual(yield* freeIn(withList([record], { 7: own })), "3,5")
      assert.strictEqual(
        yield* freeIn(withList([record], { 7: treeWith(4, 8, []) })),
        "page 7 of its list of free pages is another one"
      )
      const other = leafNode(words(2, 3, 5), { flags: 2 })
      assert.strictEqual(yield* freeIn(withList([other])), "3,5", "of another flag")
    }))

  it.effect("has branches, no deeper than it says", () =>
    Effect.gen(function*() {
      const pages = {
        2: treeWith(BRANCH, 2, [branchNode(3), branchNode(4)]),
        3: treeWith(LEAF, 3, [leafNode(words(1, 8))]),
        4: treeWith(LEAF, 4, [leafNode(words(1, 9))])
      }
      const deep = (depth: number) => freeIn(withList([], pages, { free: { root: 2, depth } }))
      for (const depth of [2, 3]) assert.strictEqual(yield* deep(depth), "8,9")
      assert.strictEqual(yield* deep(1), "its list of free pages is deeper than it says")
      assert.strictEqual(
        yield* freeIn(withList([], {}, { free: { root: 2, depth: 0 } })),
        "its list of free pages is deeper than it says"
      )
    }))

  it.effect("is refused with pages that none are, and with more entries than it has", () =>
    Effect.gen(function*() {
      const names = (length: number, first: number) =>
        `its list of free pages names ${length} from page ${first} on, and the last page is 9`
      assert.strictEqual(yield* freeIn(withList([leafNode(words(1, 1))])), names(1, 1))
      assert.strictEqual(yield* freeIn(withList([leafNode(words(1, 10))])), names(1, 10))
      assert.strictEqual(yield* freeIn(withList([leafNode(words(2, -3, 8))])), names(3, 8))
      assert.strictEqual(yield* freeIn(withList([leafNode(words(2, -2, 1))])), names(2, 1))
      assert.strictEqual(
        yield* freeIn(withList([leafNode(words(3, 3, 5))])),
        "a list of free pages says that it has 3 entries"
      )
      assert.strictEqual(yield* freeIn(withList([leafNode(new Uint8Array(0))])), "one of its pages makes no sense")
      assert.strictEqual(yield* freeIn(withList([leafNode(words(1, -1))])), "one of its pages makes no sense")
    }))
})

describe("an LMDB file", () => {
  const stored = Effect.fnUntraced(function*(content: Uint8Array) {
    const directory = yield* temporaryDirectory
    fs.writeFileSync(lmdbFile(directory), content)
    return directory
  })

  it.effect("may end before pages that are free, and before no other", () =>
    Effect.gen(function*() {
      const content = withList([leafNode(words(2, 8, 9))])
      for (const pages of [10, 9, 8]) {
        assert.isUndefined(lmdbFileFault(yield* stored(content.subarray(0, pages * SIZE))))
      }
      assert.isUndefined(lmdbFileFault(yield* stored(content.subarray(0, 8 * SIZE + 100))))
      assert.strictEqual(
        lmdbFileFault(yield* stored(content.subarray(0, 8 * SIZE - 1))),
        `it has ${8 * SIZE - 1} bytes, and its last commit needs page 7 of ${SIZE}`
      )
      assert.strictEqual(
        lmdbFileFault(yield* stored(withList([leafNode(words(1, 8))]).subarray(0, 8 * SIZE))),
        `it has ${8 * SIZE} bytes, and its last commit needs page 9 of ${SIZE}`
      )
      const none = yield* temporaryDirectory
      assert.isUndefined(lmdbFileFault(none))
      assert.isUndefined(lmdbFreeListFault(none, 1_000))
      fs.mkdirSync(lmdbFile(none))
      assert.throws(() => lmdbFileFault(none), /data\.mdb: it is a directory, not a file/)
    }))

  it.effect("has no page that is in use and free, in either tree", () =>
    Effect.gen(function*() {
      const TIME = 60_000
      const fault = (content: Uint8Array, milliseconds = TIME) =>
        Effect.map(stored(content), (directory) => lmdbFreeListFault(directory, milliseconds))
      const main = (pages: Readonly<Record<number, Buffer>>, depth: number, ...free: ReadonlyArray<number>) =>
        withList([leafNode(words(free.length, ...free))], pages, { main: { root: 3, depth } })
      const tree = { 3: treeWith(BRANCH, 3, [branchNode(4), branchNode(5)]) }
      assert.isUndefined(yield* fault(main(tree, 2, 6, 7)))
      for (const page of [2, 3, 4, 5]) {
        assert.strictEqual(yield* fault(main(tree, 2, page)), `page ${page} is in use and on its list of free pages`)
      }
      assert.isUndefined(yield* fault(main(tree, 1, 4)), "pages of entries are not read")
      assert.isUndefined(yield* fault(main(tree, 2, 4), -1_000), "no time is left")
      assert.strictEqual(yield* fault(main(tree, 3)), "page 5 says that it is page 0")
      const leaf = { 3: treeWith(LEAF, 3, []) }
      assert.strictEqual(yield* fault(main(leaf, 2)), "page 3 has entries where there should be pages")
      for (const child of [1, 10]) {
        const outside = { 3: treeWith(BRANCH, 3, [branchNode(child)]) }
        assert.strictEqual(yield* fault(main(outside, 2)), `it refers to page ${child} of 10`)
      }
      assert.isUndefined(yield* fault(main({ 3: treeWith(BRANCH, 3, [branchNode(9)]) }, 2)))
      assert.isUndefined(yield* fault(fileWith([{ transaction: 1n }, { transaction: 2n }])))
    }))
})
