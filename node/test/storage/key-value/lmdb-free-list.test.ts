import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { openKeyValueStore } from "../../../src/storage/key-value/open-key-value-store.ts"
import { lmdbFile } from "../../../src/storage/key-value/lmdb-database.ts"
import { openLmdbStore } from "../../../src/storage/key-value/lmdb-store.ts"
import { lmdbFileFault, lmdbFreeListFault } from "../../../src/storage/key-value/opening/lmdb-file-fault.ts"
import { freePages } from "../../../src/storage/key-value/opening/lmdb-free-list.ts"
import {
  childAt,
  inspectLmdb,
  isBranch,
  type LmdbFile,
  nodesOf,
  treePage
} from "../../../src/storage/key-value/opening/lmdb-pages.ts"
import { type Random, randomOf } from "../../crash/random.ts"
import { temporaryDirectory } from "../temporary-directory.ts"

const MINUTE = 60_000

const bytesOf = (random: Random, length: number): Uint8Array => Uint8Array.from({ length }, () => random.below(256))

/** Commits that let a store grow and shrink; looks at it after each. */
const liveThrough = Effect.fnUntraced(
  function*(directory: string, seed: number, commits: number, look: (commit: number) => void) {
    const random = randomOf(seed)
    const store = yield* Effect.acquireRelease(openLmdbStore(directory), ({ close }) => Effect.ignore(close))
    const keys: Array<Uint8Array> = []
    for (let commit = 0; commit < commits; commit++) {
      const changes = random.below(commit % 7 === 0 ? 3000 : 200)
      const removals = commit % 40 < 25 ? 35 : 75
      yield* store.write((batch) => {
        for (let i = 0; i < changes; i++) {
          const [gone] = random.below(100) < removals && keys.length > 0
            ? keys.splice(random.below(keys.length), 1)
            : []
          if (gone !== undefined) {
            batch.remove(gone)
            continue
          }
          const key = bytesOf(random, 36)
          keys.push(key)
          batch.put(key, new Uint8Array(40 + random.below(30)))
        }
      })
      look(commit)
    }
  },
  Effect.scoped
)

const look = <A>(directory: string, use: (file: LmdbFile) => A): A => {
  let found: A | undefined
  const fault = inspectLmdb(lmdbFile(directory), (file) => {
    found = use(file)
  })
  assert.isUndefined(fault)
  return found!
}

const sizes = (directory: string) =>
  look(directory, ({ commit, size }) => ({ size, needed: (commit.lastPage + 1) * commit.pageSize }))

/** Pages that hold the list, up to those of long records. */
const pagesOfList = (file: LmdbFile): ReadonlyArray<number> => {
  const { root } = file.commit.free
  const below = (page: number): ReadonlyArray<number> => {
    const view = treePage(file, page)
    if (isBranch(view)) return [page, ...nodesOf(view).flatMap((node) => below(childAt(view, node)))]
    const own = nodesOf(view).filter((node) => view.getUint16(node + 4, true) === 1).map((node) =>
      Number(view.getBigUint64(node + 16, true))
    )
    return [page, ...own]
  }
  return root === undefined ? [] : below(root)
}

const freeIn = (file: LmdbFile): ReadonlyArray<number> => {
  const { has } = freePages(file)
  return Array.from({ length: file.commit.lastPage + 1 }, (_, page) => page).filter(has)
}

const PAGE_SIZE = 4096

/** Where the page begins that says how the last commit left everything. */
const newerMeta = (content: Buffer): number =>
  content.readBigUInt64LE(152) > content.readBigUInt64LE(PAGE_SIZE + 152) ? 0 : PAGE_SIZE

describe("the free pages of LMDB", () => {
  it.effect("may lie behind the end of a file that is whole", () =>
    Effect.gen(function*() {
      let short = 0
      for (const seed of [3]) {
        const directory = yield* temporaryDirectory
        yield* liveThrough(directory, seed, 400, (commit) => {
          const { needed, size } = sizes(directory)
          if (size < needed) short++
          if (size >= needed && commit % 10 !== 0) return
          assert.isUndefined(lmdbFileFault(directory), `seed ${seed}, commit ${commit}`)
          assert.isUndefined(lmdbFreeListFault(directory, MINUTE), `seed ${seed}, commit ${commit}`)
        })
      }
      assert.isAbove(short, 0)
    }))

  it.effect("are all that no tree is made of", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* liveThrough(directory, 6, 60, (commit) => {
        const content = fs.readFileSync(lmdbFile(directory))
        const free = look(directory, freeIn).length
        const meta = newerMeta(content)
        const used = [meta + 48, meta + 96].flatMap((tree) =>
          [8, 16, 24].map((at) => Number(content.readBigUInt64LE(tree + at)))
        )
        assert.strictEqual(
          free + used.reduce((a, b) => a + b) + 2,
          Number(content.readBigUInt64LE(meta + 144)) + 1,
          `commit ${commit}`
        )
      })
    }))

  it.effect("that are damaged never offer a page that is in use", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* liveThrough(directory, 7, 45, () => {})
      const path = lmdbFile(directory)
      const sound = fs.readFileSync(path)
      const before = new Set(look(directory, freeIn))
      const pages = look(directory, pagesOfList)
      const random = randomOf(8)
      let noticed = 0
      for (let trial = 0; trial < 500; trial++) {
        const content = Buffer.from(sound)
        const at = random.pick(pages) * PAGE_SIZE + random.below(PAGE_SIZE)
        content[at]! ^= 1 << random.below(8)
        fs.writeFileSync(path, content)
        if (lmdbFreeListFault(directory, MINUTE) !== undefined) {
          noticed++
          continue
        }
        const unknown = look(directory, freeIn).filter((page) => !before.has(page))
        assert.isEmpty(unknown, `byte ${at} of ${content.length}`)
      }
      assert.isAbove(noticed, 100)
    }))

  it.live("that are damaged keep the store from being opened: another one takes its place", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* liveThrough(`${directory}/store-heed3`, 7, 45, () => {})
      const path = lmdbFile(`${directory}/store-heed3`)
      const content = fs.readFileSync(path)
      // The list of a short time has one page. The last word of its first record names a page, or the first of a run.
      const page = Number(content.readBigUInt64LE(newerMeta(content) + 88)) * PAGE_SIZE
      const words = page + 24 + content.readUInt16LE(page + 24) + 16
      content.writeBigUInt64LE(2n, words + 8 * Number(content.readBigUInt64LE(words)))
      fs.writeFileSync(path, content)
      const { fallback, setAside, store } = yield* openKeyValueStore({ directory, backend: "auto" })
      yield* store.close
      assert.deepInclude(fallback, { from: "heed3", to: "leveldb" })
      assert.include(fallback?.reason, path)
      assert.match(fallback?.reason ?? "", /page \d+ is in use and on its list of free pages/)
      assert.isDefined(setAside)
    }).pipe(Effect.scoped))
})
