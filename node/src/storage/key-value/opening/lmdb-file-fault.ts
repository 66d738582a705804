import type { Milliseconds, Moment } from "../../../quantities.ts"
import { demandRegular, isThere } from "../../disk/regular-file.ts"
import { lmdbFile } from "../lmdb-database.ts"
import { freePages } from "./lmdb-free-list.ts"
import {
  childAt,
  inspectLmdb,
  isBranch,
  type LmdbFile,
  LmdbFault,
  type LmdbTree,
  nodesOf,
  treePage
} from "./lmdb-pages.ts"

/**
 * Throws if a page after the end of the file is not free. A commit that frees a page that it has just added does not
 * write it.
 */
const demandPages = (file: LmdbFile): void => {
  const { commit: { lastPage, pageSize }, size } = file
  const whole = Math.floor(size / pageSize)
  if (whole > lastPage) return
  const free = freePages(file)
  for (let page = whole; page <= lastPage; page++) {
    if (!free.has(page)) {
      throw new LmdbFault(`it has ${size} bytes, and its last commit needs page ${page} of ${pageSize}`)
    }
  }
}

/**
 * Describes the fault of an LMDB file, as far as its head and size show. LMDB maps the file and trusts its meta pages.
 * A page after the end of the file is a SIGBUS, which ends the process.
 */
export const lmdbFileFault = (directory: string): string | undefined => {
  const path = lmdbFile(directory)
  demandRegular("key-value", path)
  return isThere(path) ? inspectLmdb(path, demandPages) : undefined
}

/** Throws if a page of a tree is also listed as free, within a time limit. Pages of entries are not read. */
const demandApart = (
  file: LmdbFile,
  { depth, root }: LmdbTree,
  isFree: (page: number) => boolean,
  deadline: Moment
): void => {
  const open: Array<readonly [page: number, level: number]> = []
  const meet = (page: number, level: number): void => {
    if (!(page >= 2 && page <= file.commit.lastPage)) {
      throw new LmdbFault(`it refers to page ${page} of ${file.commit.lastPage + 1}`)
    }
    if (isFree(page)) throw new LmdbFault(`page ${page} is in use and on its list of free pages`)
    if (level < depth) open.push([page, level])
  }
  if (root !== undefined) meet(root, 1)
  for (let next = open.pop(); next !== undefined && performance.now() < deadline; next = open.pop()) {
    const [page, level] = next
    const view = treePage(file, page)
    if (!isBranch(view)) throw new LmdbFault(`page ${page} has entries where there should be pages`)
    for (const node of nodesOf(view)) meet(childAt(view, node), level + 1)
  }
}

/**
 * Describes the fault of the free list of an LMDB file. LMDB does not check the list before it writes, and overwrites
 * any page that the list names.
 */
export const lmdbFreeListFault = (directory: string, milliseconds: Milliseconds): string | undefined => {
  const path = lmdbFile(directory)
  if (!isThere(path)) return undefined
  return inspectLmdb(path, (file) => {
    const { has } = freePages(file)
    const deadline = performance.now() + milliseconds
    demandApart(file, file.commit.free, has, deadline)
    demandApart(file, file.commit.main, has, deadline)
  })
}
