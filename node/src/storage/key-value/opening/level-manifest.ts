const BLOCK = 32_768
const HEADER = 7

const WHOLE = 1
const FIRST = 2
const LAST = 4

/** Yields the contents of a log's records up to its end or an invalid record. Checksums are checked elsewhere. */
function* recordsOf(log: Uint8Array): Generator<Uint8Array> {
  const view = new DataView(log.buffer, log.byteOffset, log.byteLength)
  let pieces: Array<Uint8Array> = []
  let at = 0
  while (at + HEADER <= log.length) {
    const left = BLOCK - at % BLOCK
    if (left < HEADER) {
      at += left
      continue
    }
    const [length, type] = [view.getUint16(at + 4, true), log[at + 6]!]
    const end = at + HEADER + length
    if (type === 0 || end > log.length) return
    if (type === WHOLE || type === FIRST) pieces = []
    pieces.push(log.subarray(at + HEADER, end))
    if (type === WHOLE || type === LAST) yield Buffer.concat(pieces)
    at = end
  }
}

/** Kinds of changes in a record of the manifest. */
const Change = {
  comparator: 1,
  logNumber: 2,
  nextFile: 3,
  lastSequence: 4,
  compactPointer: 5,
  deletedFile: 6,
  newFile: 7,
  previousLog: 9
} as const

/** Applies one record to the set of tables in use. Returns whether all of it was understood. */
const applyRecord = (record: Uint8Array, tables: Set<number>): boolean => {
  let at = 0
  const number = (): number => {
    let [value, scale] = [0, 1]
    for (;;) {
      const byte = record[at++]
      if (byte === undefined) return Number.NaN
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
      scale *= 128
    }
  }
  const skipText = (): void => {
    const length = number()
    at += length
  }
  while (at < record.length) {
    const kind = number()
    switch (kind) {
      case Change.comparator:
        skipText()
        break
      case Change.logNumber:
      case Change.nextFile:
      case Change.lastSequence:
      case Change.previousLog:
        number()
        break
      case Change.compactPointer:
        number()
        skipText()
        break
      case Change.deletedFile:
        number()
        tables.delete(number())
        break
      case Change.newFile: {
        number()
        tables.add(number())
        number()
        skipText()
        skipText()
        break
      }
      default:
        return false
    }
  }
  return at === record.length
}

/**
 * Returns the numbers of the tables that a LevelDB manifest lists as in use, or `undefined` if it is invalid. A process
 * that dies while it writes a table leaves a partial one that the manifest does not list. LevelDB removes it, and
 * nothing is lost.
 */
export const tablesInUse = (manifest: Uint8Array): ReadonlySet<number> | undefined => {
  const tables = new Set<number>()
  for (const record of recordsOf(manifest)) if (!applyRecord(record, tables)) return undefined
  return tables
}
