import * as fs from "node:fs"
import { closeFile } from "../../disk/close-file.ts"

/** A fault of an LMDB file. */
export class LmdbFault extends Error {}

/** A tree of an LMDB file: its root page and its depth. */
export interface LmdbTree {
  /** `undefined` if the tree is empty. */
  readonly root: number | undefined
  readonly depth: number
}

/** The last commit of an LMDB file. */
export interface LmdbCommit {
  readonly pageSize: number
  readonly lastPage: number
  /** Tree of the pages that may be overwritten, by the commit that freed them. */
  readonly free: LmdbTree
  readonly main: LmdbTree
}

/** An LMDB file that is open for reading without LMDB. Faults that LMDB would not survive are found here first. */
export interface LmdbFile {
  readonly size: number
  readonly commit: LmdbCommit
  /** Reads so many bytes from the start of a page. */
  readonly read: (page: number, length: number) => DataView
}

const MAGIC = 0xbeefc0de

/** Number of pages at the head of the file that describe it; the newer one is valid. */
const META_PAGES = 2
/** Offsets in a meta page. */
const META = { magic: 24, pageSize: 48, free: 48, main: 96, lastPage: 144, transaction: 152, end: 160 } as const
/** Offsets in the description of a tree. */
const TREE = { depth: 6, root: 40 } as const

/** Offsets in the head of every page. */
export const PAGE = { number: 0, flags: 18, nodesEnd: 20, header: 24 } as const
export const BRANCH = 1
const LEAF = 2

const NOTHING = 2n ** 64n - 1n

const treeAt = (view: DataView, offset: number): LmdbTree => {
  const root = view.getBigUint64(offset + TREE.root, true)
  return { root: root === NOTHING ? undefined : Number(root), depth: view.getUint16(offset + TREE.depth, true) }
}

const isMeta = (view: DataView, offset: number): boolean =>
  view.byteLength >= offset + META.end && view.getUint32(offset + META.magic, true) === MAGIC

const commitOf = (head: DataView): LmdbCommit => {
  if (!isMeta(head, 0)) throw new LmdbFault("its first page is not that of an LMDB file")
  const pageSize = head.getUint32(META.pageSize, true)
  if (pageSize < 512 || pageSize > 65_536 || (pageSize & pageSize - 1) !== 0) {
    throw new LmdbFault(`its page size reads ${pageSize}`)
  }
  if (!isMeta(head, pageSize)) throw new LmdbFault("its second page is not that of an LMDB file")
  const transaction = (offset: number): bigint => head.getBigUint64(offset + META.transaction, true)
  const at = transaction(0) > transaction(pageSize) ? 0 : pageSize
  return {
    pageSize,
    lastPage: Number(head.getBigUint64(at + META.lastPage, true)),
    free: treeAt(head, at + META.free),
    main: treeAt(head, at + META.main)
  }
}

const readAt = (descriptor: number, offset: number, length: number): DataView => {
  const bytes = new Uint8Array(length)
  return new DataView(bytes.buffer, 0, fs.readSync(descriptor, bytes, 0, length, offset))
}

/** Opens the file while `use` runs. Returns a description of the fault that `use` finds, or `undefined`. */
export const inspectLmdb = (path: string, use: (file: LmdbFile) => void): string | undefined => {
  const descriptor = fs.openSync(path, "r")
  try {
    const { size } = fs.fstatSync(descriptor)
    // A process that died while it made the file left it empty; LMDB starts again.
    if (size === 0) return undefined
    const commit = commitOf(readAt(descriptor, 0, 1 << 17))
    const read = (page: number, length: number): DataView => {
      if (!(page >= META_PAGES && page <= commit.lastPage)) {
        throw new LmdbFault(`it refers to page ${page} of ${commit.lastPage + 1}`)
      }
      const view = readAt(descriptor, page * commit.pageSize, length)
      if (view.byteLength < length) {
        throw new LmdbFault(`it has ${size} bytes, and its last commit needs more: page ${page} is missing`)
      }
      return view
    }
    use({ size, commit, read })
    return undefined
  } catch (error) {
    if (error instanceof LmdbFault) return error.message
    // An offset in a page is outside of it.
    if (error instanceof RangeError) return "one of its pages makes no sense"
    throw error
  } finally {
    closeFile(descriptor)
  }
}

/** Reads a page of a tree: further pages, or entries. */
export const treePage = ({ commit, read }: LmdbFile, page: number): DataView => {
  const view = read(page, commit.pageSize)
  const number = view.getBigUint64(PAGE.number, true)
  if (number !== BigInt(page)) throw new LmdbFault(`page ${page} says that it is page ${number}`)
  const kind = view.getUint16(PAGE.flags, true)
  if (kind !== BRANCH && kind !== LEAF) throw new LmdbFault(`page ${page} is of no kind that a tree has`)
  return view
}

export const isBranch = (view: DataView): boolean => view.getUint16(PAGE.flags, true) === BRANCH

/** Returns the offsets of a page's entries. The page itself counts from the end of its head. */
export const nodesOf = (view: DataView): ReadonlyArray<number> =>
  Array.from(
    { length: view.getUint16(PAGE.nodesEnd, true) >> 1 },
    (_, i) => PAGE.header + view.getUint16(PAGE.header + 2 * i, true)
  )

/** Returns the page below an entry of a branch page. */
export const childAt = (view: DataView, node: number): number =>
  view.getUint32(node, true) + view.getUint16(node + 4, true) * 2 ** 32
