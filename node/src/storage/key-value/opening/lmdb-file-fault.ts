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

/** Pages behind the end of the file must be free: a commit that frees what it has just added does not write that. */
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
 * What is wrong with an LMDB file, as far as its head and size show. LMDB maps the file and believes its meta pages: a
 * page behind the end of the file is a SIGBUS, which no program survives.
 */
export const lmdbFileFault = (directory: string): string | undefined => {
  const path = lmdbFile(directory)
  demandRegular("key-value", path)
  return isThere(path) ? inspectLmdb(path, demandPages) : undefined
}

/** Whether a page that a tree is made of is free as well; as far as the time goes. Pages of entries are not read. */
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
 * What is wrong with the list of free pages of an LMDB file. LMDB does not look into it before it writes, and then
 * writes over what the list names, whatever that is.
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
