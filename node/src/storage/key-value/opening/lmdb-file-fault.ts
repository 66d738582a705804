import * as fs from "node:fs"
import { lmdbFile } from "../lmdb-database.ts"

const MAGIC = 0xbeefc0de

/** Places inside one of the two meta pages at the head of an LMDB file. */
const AT = { magic: 24, pageSize: 48, lastPage: 144, transaction: 152, end: 160 } as const

interface Meta {
  readonly lastPage: bigint
  readonly transaction: bigint
}

const metaAt = (head: DataView, offset: number): Meta | undefined => {
  if (head.byteLength < offset + AT.end || head.getUint32(offset + AT.magic, true) !== MAGIC) return undefined
  return {
    lastPage: head.getBigUint64(offset + AT.lastPage, true),
    transaction: head.getBigUint64(offset + AT.transaction, true)
  }
}

const headOf = (path: string): { readonly size: number; readonly head: DataView } => {
  const descriptor = fs.openSync(path, "r")
  try {
    const bytes = new Uint8Array(1 << 17)
    const count = fs.readSync(descriptor, bytes, 0, bytes.length, 0)
    return { size: fs.fstatSync(descriptor).size, head: new DataView(bytes.buffer, 0, count) }
  } finally {
    fs.closeSync(descriptor)
  }
}

/**
 * What is wrong with an LMDB file, as far as its head and size tell. LMDB maps the file and believes its meta pages: a
 * page behind the end of the file is a SIGBUS, which no program survives.
 */
export const lmdbFileFault = (directory: string): string | undefined => {
  const path = lmdbFile(directory)
  if (!fs.existsSync(path)) return undefined
  if (!fs.statSync(path).isFile()) return "it is no file"
  const { head, size } = headOf(path)
  // A process that died while it made the file left it empty; LMDB begins anew.
  if (size === 0) return undefined
  if (metaAt(head, 0) === undefined) return "its first page is not that of an LMDB file"
  const pageSize = head.getUint32(AT.pageSize, true)
  if (pageSize < 512 || pageSize > 65_536 || (pageSize & pageSize - 1) !== 0) return `its page size reads ${pageSize}`
  const metas = [metaAt(head, 0), metaAt(head, pageSize)]
  if (metas.includes(undefined)) return "its second page is not that of an LMDB file"
  const [first, second] = metas as [Meta, Meta]
  const latest = first.transaction > second.transaction ? first : second
  const needed = (latest.lastPage + 1n) * BigInt(pageSize)
  return BigInt(size) < needed ? `it has ${size} bytes, and its last commit needs ${needed}` : undefined
}
