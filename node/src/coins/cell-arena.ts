import { bytesEqual } from "@lockstep/kernel/bytes"
import type { OutPoint } from "@lockstep/kernel/model"
import type { Coin } from "@lockstep/kernel/utxo"
import { hashWords, word } from "./outpoint-words.ts"

/**
 * Coins in memory that the garbage collector never looks into: cells of equal size in array buffers. So a freed cell
 * fits any later use, and no cell ever moves.
 *
 * Words of a coin's cell: marks and script length, transaction id (8), output number, height and coinbase mark, value
 * (2), script (9). A longer script keeps its first 32 bytes there, and the last word names a cell with the next 80
 * bytes: marks, next cell, bytes (20). A free cell names the next free one.
 */
export interface CellArena {
  readonly chunks: Array<CellChunk>
  /** Head of the list of free cells, plus one. */
  free: number
  /** Number of cells ever used. Those after them were never touched, so the system has not allocated memory for them yet. */
  top: number
  used: number
  /** Buffer for the scripts of requested coins, and the number of bytes used in it. */
  slab: Uint8Array
  slabUsed: number
}

/** The same memory as words and as bytes. */
export interface CellChunk {
  readonly words: Int32Array
  readonly bytes: Uint8Array
}

/** Marks of a cell; several may be set. */
export const Mark = {
  /** A coin's cell, also when the coin is spent. */
  head: 1,
  /** The coin exists. If not set, the cell records that it does not. */
  exists: 2,
  /** The store has a coin with this outpoint. If not set, the coin is fresh. */
  stored: 4,
  /** The cell holds the same coin as the store. If not set, the coin is dirty or fresh. */
  clean: 8,
  /** The coin was looked up since the CLOCK hand last passed. */
  warm: 16,
  /** The cell is in the dirty list. The mark stays on a freed cell. */
  listed: 32
} as const

export const CLEAN = Mark.exists | Mark.stored | Mark.clean

/** So many cells in one chunk that it spans large pages, if the system provides them (docs/decisions/0012). */
const CELL_BITS = 17
const CELLS_PER_CHUNK = 1 << CELL_BITS
const CELL_MASK = CELLS_PER_CHUNK - 1
const CELL_WORDS = 22
export const CELL_BYTES = CELL_WORDS * 4

const LENGTH_SHIFT = 8
const MARKS = (1 << LENGTH_SHIFT) - 1

/** Offsets within a cell, in words. */
const NEXT = 1
const TXID = 1
const VOUT = 9
const CODE = 10
const VALUE = 11
const SCRIPT = 13
const LINK = CELL_WORDS - 1
const REST = 2

const WHOLE_SCRIPT = (CELL_WORDS - SCRIPT) * 4
const SCRIPT_HEAD = (LINK - SCRIPT) * 4
const REST_BYTES = (CELL_WORDS - REST) * 4

/** Small enough that a script kept for long does not keep much else. */
const SLAB_BYTES = 1 << 15

export const cellArena = (): CellArena => ({
  chunks: [],
  free: 0,
  top: 0,
  used: 0,
  slab: new Uint8Array(SLAB_BYTES),
  slabUsed: 0
})

/** Bytes of memory that the arena uses, including free cells. */
export const arenaBytes = (arena: CellArena): number => arena.top * CELL_BYTES

const addChunk = (arena: CellArena): void => {
  const buffer = new ArrayBuffer(CELLS_PER_CHUNK * CELL_BYTES)
  arena.chunks.push({ words: new Int32Array(buffer), bytes: new Uint8Array(buffer) })
}

const wordsOf = (arena: CellArena, cell: number): Int32Array => arena.chunks[cell >>> CELL_BITS]!.words
const startOf = (cell: number): number => (cell & CELL_MASK) * CELL_WORDS

/** Returns the marks of a cell: 0, or `listed` alone, if it holds no coin. */
export const marksOf = (arena: CellArena, cell: number): number => wordsOf(arena, cell)[startOf(cell)]! & MARKS

/** Sets the marks of a cell. */
export const setMarks = (arena: CellArena, cell: number, marks: number): void => {
  const words = wordsOf(arena, cell)
  const at = startOf(cell)
  words[at] = (words[at]! & ~MARKS) | marks
}

const allocateCell = (arena: CellArena): number => {
  arena.used++
  if (arena.free === 0) {
    if (arena.top === arena.chunks.length << CELL_BITS) addChunk(arena)
    return arena.top++
  }
  const cell = arena.free - 1
  arena.free = wordsOf(arena, cell)[startOf(cell) + NEXT]!
  return cell
}

const freeOneCell = (arena: CellArena, cell: number): void => {
  const words = wordsOf(arena, cell)
  const at = startOf(cell)
  words[at] = words[at]! & Mark.listed
  words[at + NEXT] = arena.free
  arena.free = cell + 1
  arena.used--
}

const scriptLength = (meta: number): number => meta >>> LENGTH_SHIFT

/** Frees the cells after the first one of a script. */
const letGoRest = (arena: CellArena, cell: number): void => {
  const words = wordsOf(arena, cell)
  const at = startOf(cell)
  let left = scriptLength(words[at]!) - SCRIPT_HEAD
  if (left <= WHOLE_SCRIPT - SCRIPT_HEAD) return
  for (let rest = words[at + LINK]!; left > 0; left -= REST_BYTES) {
    const next = wordsOf(arena, rest)[startOf(rest) + NEXT]!
    freeOneCell(arena, rest)
    rest = next
  }
}

/** Allocates a cell for `outpoint`, without marks or coin. */
export const addCell = (arena: CellArena, { txid, vout }: OutPoint): number => {
  const cell = allocateCell(arena)
  const words = wordsOf(arena, cell)
  const at = startOf(cell)
  words[at] = words[at]! & Mark.listed
  for (let i = 0; i < 8; i++) words[at + TXID + i] = word(txid, i * 4)
  words[at + VOUT] = vout
  return cell
}

/** Frees a coin's cells. */
export const freeCell = (arena: CellArena, cell: number): void => {
  letGoRest(arena, cell)
  freeOneCell(arena, cell)
}

const copyIn = (
  arena: CellArena,
  cell: number,
  place: number,
  source: Uint8Array,
  from: number,
  size: number
): void => {
  const { bytes } = arena.chunks[cell >>> CELL_BITS]!
  const at = (startOf(cell) + place) * 4
  for (let i = 0; i < size; i++) bytes[at + i] = source[from + i]!
}

const copyOut = (arena: CellArena, cell: number, place: number, target: Uint8Array, to: number, size: number): void => {
  const { bytes } = arena.chunks[cell >>> CELL_BITS]!
  const at = (startOf(cell) + place) * 4
  for (let i = 0; i < size; i++) target[to + i] = bytes[at + i]!
}

const writeScript = (arena: CellArena, cell: number, source: Uint8Array, from: number, length: number): void => {
  if (length <= WHOLE_SCRIPT) return copyIn(arena, cell, SCRIPT, source, from, length)
  copyIn(arena, cell, SCRIPT, source, from, SCRIPT_HEAD)
  let [last, link] = [cell, LINK]
  for (let done = SCRIPT_HEAD; done < length; done += REST_BYTES) {
    const rest = allocateCell(arena)
    copyIn(arena, rest, REST, source, from + done, Math.min(REST_BYTES, length - done))
    wordsOf(arena, last)[startOf(last) + link] = rest
    last = rest
    link = NEXT
  }
}

/** Copies the script of a coin to `target` at offset `to`. Returns its length. */
export const copyScript = (arena: CellArena, cell: number, target: Uint8Array, to: number): number => {
  const words = wordsOf(arena, cell)
  const at = startOf(cell)
  const length = scriptLength(words[at]!)
  if (length <= WHOLE_SCRIPT) {
    copyOut(arena, cell, SCRIPT, target, to, length)
    return length
  }
  copyOut(arena, cell, SCRIPT, target, to, SCRIPT_HEAD)
  let rest = words[at + LINK]!
  for (let done = SCRIPT_HEAD; done < length; done += REST_BYTES) {
    copyOut(arena, rest, REST, target, to + done, Math.min(REST_BYTES, length - done))
    rest = wordsOf(arena, rest)[startOf(rest) + NEXT]!
  }
  return length
}

/** The numbers of a coin: its height doubled, plus one for a coinbase; and its value, at most 2⁵³. */
export interface CoinNumbers {
  code: number
  value: number
}

/** Writes a coin into a cell. Its script is `length` bytes of `source` from `from` on. The marks stay. */
export const writeCell = (
  arena: CellArena,
  cell: number,
  { code, value }: CoinNumbers,
  source: Uint8Array,
  from: number,
  length: number
): void => {
  letGoRest(arena, cell)
  const words = wordsOf(arena, cell)
  const at = startOf(cell)
  words[at] = (words[at]! & MARKS) | (length << LENGTH_SHIFT)
  words[at + CODE] = code
  words[at + VALUE] = value
  words[at + VALUE + 1] = value / 0x1_0000_0000
  writeScript(arena, cell, source, from, length)
}

const valueIn = (words: Int32Array, at: number): number =>
  (words[at + VALUE + 1]! >>> 0) * 0x1_0000_0000 + (words[at + VALUE]! >>> 0)

/** Reads the numbers of the coin in a cell. */
export const readCell = (arena: CellArena, cell: number, into: CoinNumbers): void => {
  const words = wordsOf(arena, cell)
  const at = startOf(cell)
  into.code = words[at + CODE]! >>> 0
  into.value = valueIn(words, at)
}

/**
 * Allocates memory for a script. A small array of its own would be in the V8 heap. Its first view makes V8 move the
 * bytes out of the heap, which costs more than the view.
 */
const scriptMemory = (arena: CellArena, length: number): Uint8Array => {
  if (length > SLAB_BYTES >> 3) return new Uint8Array(length)
  if (arena.slabUsed + length > SLAB_BYTES) {
    arena.slab = new Uint8Array(SLAB_BYTES)
    arena.slabUsed = 0
  }
  const start = arena.slabUsed
  arena.slabUsed += length
  return arena.slab.subarray(start, start + length)
}

/** Returns the coin in a cell, with its own bytes. */
export const coinIn = (arena: CellArena, cell: number): Coin => {
  const words = wordsOf(arena, cell)
  const at = startOf(cell)
  const script = scriptMemory(arena, scriptLength(words[at]!))
  copyScript(arena, cell, script, 0)
  const code = words[at + CODE]!
  return { value: BigInt(valueIn(words, at)), script, height: code >>> 1, isCoinbase: (code & 1) === 1 }
}

/** Reports whether a cell holds exactly these numbers and this script. */
export const holds = (arena: CellArena, cell: number, { code, value }: CoinNumbers, script: Uint8Array): boolean => {
  const words = wordsOf(arena, cell)
  const at = startOf(cell)
  if (scriptLength(words[at]!) !== script.length || words[at + CODE]! >>> 0 !== code || valueIn(words, at) !== value) {
    return false
  }
  if (script.length > WHOLE_SCRIPT) return bytesEqual(coinIn(arena, cell).script, script)
  const { bytes } = arena.chunks[cell >>> CELL_BITS]!
  for (let i = 0; i < script.length; i++) if (bytes[(at + SCRIPT) * 4 + i] !== script[i]) return false
  return true
}

/** Reads from both ends of a cell, to prefetch it into the processor's cache. The result has no meaning. */
export const touchCell = (arena: CellArena, cell: number): number => {
  const words = wordsOf(arena, cell)
  const at = startOf(cell)
  return words[at]! ^ words[at + LINK]!
}

/** Reports whether a cell is that of `outpoint`. */
export const isCellOf = (arena: CellArena, cell: number, { txid, vout }: OutPoint): boolean => {
  const words = wordsOf(arena, cell)
  const at = startOf(cell)
  if (words[at + VOUT] !== (vout | 0)) return false
  for (let i = 0; i < 8; i++) if (words[at + TXID + i] !== word(txid, i * 4)) return false
  return true
}

/** Returns the value of `hashOutPoint` for a cell's outpoint. */
export const hashOfCell = (arena: CellArena, cell: number, seed: number): number => {
  const words = wordsOf(arena, cell)
  const at = startOf(cell) + TXID
  return hashWords(seed, words[at]!, words[at + 2]!, words[at + 4]!, words[at + 6]!, words[at + 8]!)
}

const swapped = (value: number): number =>
  ((value << 24) | ((value & 0xff00) << 8) | ((value >>> 8) & 0xff00) | (value >>> 24)) >>> 0

/** Returns the first four bytes of a cell's key after the key space, as an unsigned number in the same order. */
export const keyPrefix = (arena: CellArena, cell: number): number =>
  swapped(wordsOf(arena, cell)[startOf(cell) + TXID]!)

/** Compares the keys of two cells. */
export const compareCells = (arena: CellArena, a: number, b: number): number => {
  const [left, right] = [wordsOf(arena, a), wordsOf(arena, b)]
  const [atLeft, atRight] = [startOf(a) + TXID, startOf(b) + TXID]
  for (let i = 0; i < 8; i++) {
    if (left[atLeft + i] !== right[atRight + i]) return swapped(left[atLeft + i]!) - swapped(right[atRight + i]!)
  }
  return (left[atLeft + 8]! >>> 0) - (right[atRight + 8]! >>> 0)
}

/** Writes the outpoint of a cell as part of a key: txid in wire order, output index big-endian. */
export const writeOutPoint = (arena: CellArena, cell: number, key: Uint8Array, to: number): void => {
  const words = wordsOf(arena, cell)
  const at = startOf(cell) + TXID
  for (let i = 0; i < 8; i++) {
    const value = words[at + i]!
    key[to + i * 4] = value
    key[to + i * 4 + 1] = value >>> 8
    key[to + i * 4 + 2] = value >>> 16
    key[to + i * 4 + 3] = value >>> 24
  }
  const vout = words[at + 8]!
  key[to + 32] = vout >>> 24
  key[to + 33] = vout >>> 16
  key[to + 34] = vout >>> 8
  key[to + 35] = vout
}
