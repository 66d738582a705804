import { crc32c, unmasked } from "./crc32c.ts"

const BLOCK = 32_768
const HEADER = 7

const WHOLE = 1
const FIRST = 2
const LAST = 4

/** Whether anything but zeros stands from `at` on. */
const hasBytesFrom = (log: Uint8Array, at: number): boolean => {
  for (let i = at; i < log.length; i++) if (log[i] !== 0) return true
  return false
}

const SECTOR = 512

/** Whether a sector of the disk, or the part of it from `from` to `to`, is nothing but zeros: space that was never written. */
const hasEmptySector = (log: Uint8Array, from: number, to: number): boolean => {
  for (let start = from; start < to; start += SECTOR - start % SECTOR) {
    const sector = log.subarray(start, Math.min(to, start + SECTOR - start % SECTOR))
    if (sector.length >= 16 && sector.every((byte) => byte === 0)) return true
  }
  return false
}

interface Position {
  readonly at: number
  /** Between the first and the last piece of a record. */
  readonly isInside: boolean
}

/** Where the next piece of a record begins; a text when this one is bad; nothing where the log ends. */
const pass = (log: Uint8Array, view: DataView, { at, isInside }: Position): Position | string | undefined => {
  const left = BLOCK - at % BLOCK
  if (left < HEADER) return { at: at + left, isInside }
  const [length, type] = [view.getUint16(at + 4, true), log[at + 6]!]
  // Space set aside and not written to.
  if (type === 0 && length === 0) return hasBytesFrom(log, at) ? `a record at ${at} has no type` : undefined
  if (HEADER + length > left) return `a record at ${at} is longer than its block`
  const end = at + HEADER + length
  if (end > log.length) return undefined
  if (crc32c(log.subarray(at + 6, end)) !== unmasked(view.getUint32(at, true))) {
    const isLast = !hasBytesFrom(log, end)
    return isLast && hasEmptySector(log, at, end) ? undefined : `the record at ${at} does not fit its checksum`
  }
  const begins = type === WHOLE || type === FIRST
  return begins === isInside
    ? `the record at ${at} does not follow the one before it`
    : { at: end, isInside: type !== WHOLE && type !== LAST }
}

/**
 * What is wrong with a LevelDB log, if anything. LevelDB itself drops records that do not fit their checksum and takes the
 * ones behind them: a batch would be lost in the middle. A last record that is cut off, or has sectors that were never
 * written, is the trace of a death in the middle of writing, and was never answered for.
 */
export const levelLogFault = (log: Uint8Array): string | undefined => {
  const view = new DataView(log.buffer, log.byteOffset, log.byteLength)
  let position: Position = { at: 0, isInside: false }
  while (position.at + HEADER <= log.length) {
    const next = pass(log, view, position)
    if (next === undefined || typeof next === "string") return next
    position = next
  }
  return undefined
}
