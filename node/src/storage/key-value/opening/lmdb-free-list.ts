import { childAt, isBranch, type LmdbFile, LmdbFault, nodesOf, PAGE, treePage } from "./lmdb-pages.ts"

/** Offsets in an entry of a leaf page. */
const NODE = { size: 0, flags: 4, keySize: 6, key: 8 } as const
/** Flag: the entry's value is in its own pages, and the entry has their number. */
const IN_OWN_PAGES = 1

const WORD = 8

/** Returns the words of an entry's value. */
const wordsAt = ({ read }: LmdbFile, view: DataView, node: number): DataView => {
  const size = view.getUint32(node + NODE.size, true)
  const start = node + NODE.key + view.getUint16(node + NODE.keySize, true)
  if ((view.getUint16(node + NODE.flags, true) & IN_OWN_PAGES) === 0) {
    return new DataView(view.buffer, view.byteOffset + start, size)
  }
  const page = Number(view.getBigUint64(start, true))
  const own = read(page, PAGE.header + size)
  if (own.getBigUint64(PAGE.number, true) !== BigInt(page)) {
    throw new LmdbFault(`page ${page} of its list of free pages is another one`)
  }
  return new DataView(own.buffer, PAGE.header, size)
}

/** A set of pages as bits. */
export interface PageSet {
  readonly has: (page: number) => boolean
  readonly add: (page: number) => void
}

export const pageSet = (lastPage: number): PageSet => {
  const bits = new Uint8Array((lastPage >> 3) + 1)
  return {
    has: (page) => (bits[page >> 3]! >> (page & 7) & 1) === 1,
    add: (page) => {
      bits[page >> 3]! |= 1 << (page & 7)
    }
  }
}

/**
 * Reads one record of the list: its length, then pages. A negative number before the first page of a run is the run's
 * length; zeros are unused.
 */
const takeRecord = (words: DataView, { commit: { lastPage } }: LmdbFile, free: PageSet): void => {
  const count = Number(words.getBigUint64(0, true))
  if (!(count < words.byteLength / WORD)) throw new LmdbFault(`a list of free pages says that it has ${count} entries`)
  for (let i = 1; i <= count; i++) {
    const entry = Number(words.getBigInt64(i * WORD, true))
    if (entry === 0) continue
    const length = entry < 0 ? -entry : 1
    const first = entry < 0 ? Number(words.getBigInt64(++i * WORD, true)) : entry
    if (!(first >= 2 && first + length - 1 <= lastPage)) {
      throw new LmdbFault(
        `its list of free pages names ${length} from page ${first} on, and the last page is ${lastPage}`
      )
    }
    for (let page = first; page < first + length; page++) free.add(page)
  }
}

/** Returns the pages that the next commit may overwrite. */
export const freePages = (file: LmdbFile): PageSet => {
  const { free: { depth, root }, lastPage } = file.commit
  const free = pageSet(lastPage)
  const take = (page: number, level: number): void => {
    if (level > depth) throw new LmdbFault("its list of free pages is deeper than it says")
    const view = treePage(file, page)
    for (const node of nodesOf(view)) {
      if (isBranch(view)) take(childAt(view, node), level + 1)
      else takeRecord(wordsAt(file, view, node), file, free)
    }
  }
  if (root !== undefined) take(root, 1)
  return free
}
