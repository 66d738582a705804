import { crc32c, unmasked } from "./crc32c.ts"

const BLOCK = 32_768
const HEADER = 7

/** Kinds of log records: a batch is one whole record, or a first, some middle ones and a last. */
const WHOLE = 1
const FIRST = 2
const LAST = 4

const SECTOR = 512

const isZero = (log: Uint8Array, from: number, to: number): boolean => {
  for (let i = from; i < to; i++) if (log[i] !== 0) return false
  return true
}

/** Reports whether a disk sector, or its part from `from` to `to`, contains only zeros: space that was never written. */
const hasEmptySector = (log: Uint8Array, from: number, to: number): boolean => {
  for (let start = from; start < to; start += SECTOR - start % SECTOR) {
    if (isZero(log, start, Math.min(to, start + SECTOR - start % SECTOR))) return true
  }
  return false
}

/** A piece of a batch, or the fault of one; `undefined` at the end of the log. */
type Piece =
  | { readonly _tag: "Piece"; readonly type: number; readonly end: number }
  /** `end` is the offset after its last byte, or the end of its block if its length is unknown. */
  | { readonly _tag: "Fault"; readonly text: string; readonly end: number }

const pieceAt = (log: Uint8Array, view: DataView, at: number): Piece | undefined => {
  const block = Math.min(log.length, at + BLOCK - at % BLOCK)
  const [length, type] = [view.getUint16(at + 4, true), log[at + 6]!]
  const end = at + HEADER + length
  if (type === 0 && length === 0) return { _tag: "Fault", text: `a record at ${at} has no type`, end: block }
  if (HEADER + length > BLOCK - at % BLOCK) {
    return { _tag: "Fault", text: `a record at ${at} is longer than its block`, end: block }
  }
  if (end > log.length) return undefined
  return crc32c(log.subarray(at + 6, end)) === unmasked(view.getUint32(at, true))
    ? { _tag: "Piece", type, end }
    : { _tag: "Fault", text: `the record at ${at} does not fit its checksum`, end }
}

const isBeginning = (type: number): boolean => type === WHOLE || type === FIRST

const beginsAt = (log: Uint8Array, view: DataView, at: number): boolean => {
  const piece = isBeginning(log[at + 6]!) ? pieceAt(log, view, at) : undefined
  return piece?._tag === "Piece"
}

/**
 * Reports whether a batch begins after `from`: anywhere in that block, whose pieces are indistinguishable, or in a
 * later one.
 */
const hasBatchBehind = (log: Uint8Array, view: DataView, from: number): boolean => {
  const nextBlock = from + BLOCK - from % BLOCK
  for (let at = from; at + HEADER <= Math.min(nextBlock, log.length); at++) if (beginsAt(log, view, at)) return true
  let at = nextBlock
  while (at + HEADER <= log.length) {
    const piece = BLOCK - at % BLOCK < HEADER ? undefined : pieceAt(log, view, at)
    if (piece?._tag === "Piece" && isBeginning(piece.type)) return true
    at = piece?._tag === "Piece" ? piece.end : at + BLOCK - at % BLOCK
  }
  return false
}

/**
 * Reports whether the fault from `at` to `end` is the trace of a power cut. Every batch is on disk before the next one
 * begins. So only the last one can have sectors that were never written, and nothing begins after it.
 */
const isTorn = (log: Uint8Array, view: DataView, at: number, end: number): boolean =>
  hasEmptySector(log, at, end) && !hasBatchBehind(log, view, at + 1)

/**
 * Describes the fault of a LevelDB log, if any. LevelDB itself drops records with a wrong checksum and reads those
 * after them: a batch would be lost in the middle. A last batch that is truncated, or has sectors that were never
 * written, comes from a crash during the write. It was never acknowledged.
 */
export const levelLogFault = (log: Uint8Array): string | undefined => {
  const view = new DataView(log.buffer, log.byteOffset, log.byteLength)
  let at = 0
  /** True between the first and the last piece of a batch. */
  let isInside = false
  while (at + HEADER <= log.length) {
    const left = BLOCK - at % BLOCK
    if (left < HEADER) {
      at += left
      continue
    }
    const piece = pieceAt(log, view, at)
    if (piece === undefined) return undefined
    if (piece._tag === "Fault") return isTorn(log, view, at, piece.end) ? undefined : piece.text
    if (isBeginning(piece.type) === isInside) return `the record at ${at} does not follow the one before it`
    isInside = piece.type !== WHOLE && piece.type !== LAST
    at = piece.end
  }
  return undefined
}
