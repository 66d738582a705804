import type { Milliseconds } from "../../../quantities.ts"
import * as fs from "node:fs"
import { join } from "node:path"
import { crc32c, unmasked } from "./crc32c.ts"
import { tablesInUse } from "./level-manifest.ts"

const FOOTER = 48
const MAGIC = 0xdb4775248b80fb57n
/** Bytes after every block: the kind of compression and the checksum. */
const TRAILER = 5

interface Handle {
  readonly offset: number
  readonly size: number
}

interface Reader {
  readonly bytes: Uint8Array
  at: number
}

/** Reads a number of seven bits a byte, lowest first. Returns NaN if the bytes end too early. */
const readNumber = (reader: Reader): number => {
  let [value, scale] = [0, 1]
  for (let count = 0; count < 8; count++) {
    const byte = reader.bytes[reader.at++]
    if (byte === undefined) return Number.NaN
    value += (byte & 0x7f) * scale
    if (byte < 0x80) return value
    scale *= 128
  }
  return Number.NaN
}

const readHandle = (reader: Reader): Handle => {
  const offset = readNumber(reader)
  return { offset, size: readNumber(reader) }
}

/** Returns the contents of a block, or `undefined` if the checksum does not match. */
const blockAt = (table: Uint8Array, { offset, size }: Handle): Uint8Array | undefined => {
  const end = offset + size
  if (!(end + TRAILER <= table.length)) return undefined
  const stored = new DataView(table.buffer, table.byteOffset).getUint32(end + 1, true)
  return crc32c(table.subarray(offset, end + 1)) === unmasked(stored) ? table.subarray(offset, end) : undefined
}

/** Returns the handles that an index block contains as values of its entries. */
const handlesOf = (block: Uint8Array): ReadonlyArray<Handle> => {
  const restarts = new DataView(block.buffer, block.byteOffset, block.byteLength).getUint32(block.length - 4, true)
  const end = block.length - 4 - 4 * restarts
  const reader: Reader = { bytes: block, at: 0 }
  const handles: Array<Handle> = []
  while (reader.at < end) {
    readNumber(reader)
    const own = readNumber(reader)
    const size = readNumber(reader)
    reader.at += own
    const next = reader.at + size
    handles.push(readHandle(reader))
    reader.at = next
  }
  return handles
}

/**
 * Describes the fault of a sorted table, if any. It checks every block against its checksum, which LevelDB skips on
 * reading.
 */
export const levelTableFault = (table: Uint8Array): string | undefined => {
  const footer = table.length - FOOTER
  if (footer < 0 || new DataView(table.buffer, table.byteOffset).getBigUint64(table.length - 8, true) !== MAGIC) {
    return "it does not end as a table does"
  }
  const reader: Reader = { bytes: table.subarray(footer), at: 0 }
  const [filters, index] = [readHandle(reader), readHandle(reader)]
  for (const head of [filters, index]) {
    const block = blockAt(table, head)
    if (block === undefined) return `the block at ${head.offset} does not fit its checksum`
    const broken = handlesOf(block).find((handle) => blockAt(table, handle) === undefined)
    if (broken !== undefined) return `the block at ${broken.offset} does not fit its checksum`
  }
  return undefined
}

const CURRENT = "CURRENT"

/** Names of the tables that contain data, without a partial table left by a process that died. */
const namesOfTables = (directory: string): ReadonlyArray<string> => {
  if (!fs.existsSync(directory)) return []
  const names = fs.readdirSync(directory)
  const manifest = names.includes(CURRENT) ? fs.readFileSync(join(directory, CURRENT), "latin1").trim() : ""
  // Without a manifest LevelDB itself reports the fault.
  const inUse = names.includes(manifest) ? tablesInUse(fs.readFileSync(join(directory, manifest))) : undefined
  return names.filter((name) => /^\d+\.(?:ldb|sst)$/.test(name) && inUse?.has(Number.parseInt(name, 10)) === true)
}

/** Reads a table. An open LevelDB removes a table when others have its entries. */
const readIfThere = (path: string): Uint8Array | undefined => {
  try {
    return fs.readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
}

/** Describes the fault of the first bad table in use in a directory, newest first, within a time limit. */
export const levelTablesFault = (directory: string, milliseconds: Milliseconds): string | undefined => {
  const deadline = performance.now() + milliseconds
  for (const name of namesOfTables(directory).toSorted().toReversed()) {
    if (performance.now() > deadline) return undefined
    const table = readIfThere(join(directory, name))
    const fault = table === undefined ? undefined : levelTableFault(table)
    if (fault !== undefined) return `${name}: ${fault}`
  }
  return undefined
}
