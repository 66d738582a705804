import { bytesEqual } from "@lockstep/kernel/bytes"
import type { OutPoint } from "@lockstep/kernel/model"
import type { Coin } from "@lockstep/kernel/utxo"
import { hashWords, word } from "./outpoint-words.ts"

/**
 * Coins in memory that the garbage collector never looks into: cells of equal size in array buffers. So a freed cell
 * fits any later use, and nothing is ever moved.
 *
 * Words of a coin's cell: marks and script length, transaction id (8), output number, height and coinbase mark, value
 * (2), script (9). A longer script keeps its first 32 bytes there, and the last word names a cell with the next 80
 * bytes: marks, next cell, bytes (20). A free cell names the next free one.
 */
export interface CellArena {
  readonly chunks: Array<CellChunk>
  /** Head of the list of free cells, plus one. */
  free: number
  /** Cells that were ever used. Those behind were never touched, so the system has not given memory for them yet. */
  top: number
  used: number
  /** Where the scripts of requested coins are copied to, and how far it is filled. */
  slab: Uint8Array
  slabUsed: number
}

/** The same memory as words and as bytes. */
export interface CellChunk {
  readonly words: Int32Array
  readonly bytes: Uint8Array
}

/** What a cell is; several may hold. */
export const Mark = {
  /** A coin's cell is here, also when the coin is spent. */
  head: 1,
  /** The coin is there. Without it the cell says that the coin is gone. */
  exists: 2,
  /** The store has a coin here. Without it the coin is fresh. */
  stored: 4,
  /** The cell holds the same coin as the store. Without it the coin is dirty or fresh. */
  clean: 8,
  /** The coin was looked up since the CLOCK hand came by last. */
  warm: 16,
  /** The cell is in the dirty list. Stays on a freed cell. */
  listed: 32
} as const

export const CLEAN = Mark.exists | Mark.stored | Mark.clean

/** As many cells in one chunk that it spans large pages, where the system gives them (docs/decisions/0012). */
const CELL_BITS = 17
const CELLS_PER_CHUNK = 1 << CELL_BITS
const CELL_MASK = CELLS_PER_CHUNK - 1
const CELL_WORDS = 22
export const CELL_BYTES = CELL_WORDS * 4

const LENGTH_SHIFT = 8
const MARKS = (1 << LENGTH_SHIFT) - 1

/** Places within a cell, in words. */
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

/** Small enough that a script which is held for long does not hold much else. */
const SLAB_BYTES = 1 << 15

export const cellArena = (): CellArena => ({
  chunks: [],
  free: 0,
  top: 0,
  used: 0,
  slab: new Uint8Array(SLAB_BYTES),
  slabUsed: 0
})

/** Bytes of memory the arena uses, free cells as well. */
export const arenaBytes = (arena: CellArena): number => arena.top * CELL_BYTES

const addChunk = (arena: CellArena): void => {
  const buffer = new ArrayBuffer(CELLS_PER_CHUNK * CELL_BYTES)
  arena.chunks.push({ words: new Int32Array(buffer), bytes: new Uint8Array(buffer) })
}

const wordsOf = (arena: CellArena, cell: number): Int32Array => arena.chunks[cell >>> CELL_BITS]!.words
const startOf = (cell: number): number => (cell & CELL_MASK) * CELL_WORDS

/** The marks of a cell: 0, or `listed` alone, when it holds no coin. */
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

/** Frees the cells behind the first one of a script. */
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

/** A cell for `outpoint`, without marks or coin. */
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

/** Copies the script of a coin to `target` from place `to` on; answers its length. */
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

/** What a coin is besides its script: its height doubled, plus one for a coinbase; and its value, at most 2⁵³. */
export interface CoinNumbers {
  code: number
  value: number
}

/** Puts a coin into a cell; its script is `source` from `from` on, `length` bytes. The marks stay. */
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

/** Reads what a cell holds besides the script. */
export const readCell = (arena: CellArena, cell: number, into: CoinNumbers): void => {
  const words = wordsOf(arena, cell)
  const at = startOf(cell)
  into.code = words[at + CODE]! >>> 0
  into.value = valueIn(words, at)
}

/**
 * Memory for a script. An array of its own, as small as scripts are, would lie in the V8 heap. Its first view makes V8
 * move the bytes out of the heap to a place of their own, which costs more than the view.
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

/** The coin in a cell, with bytes of its own. */
export const coinIn = (arena: CellArena, cell: number): Coin => {
  const words = wordsOf(arena, cell)
  const at = startOf(cell)
  const script = scriptMemory(arena, scriptLength(words[at]!))
  copyScript(arena, cell, script, 0)
  const code = words[at + CODE]!
  return { value: BigInt(valueIn(words, at)), script, height: code >>> 1, isCoinbase: (code & 1) === 1 }
}

/** Whether a cell holds these very numbers and this script. */
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

/** Reads from both ends of a cell, to prefetch it into the processor's cache; the answer means nothing. */
export const touchCell = (arena: CellArena, cell: number): number => {
  const words = wordsOf(arena, cell)
  const at = startOf(cell)
  return words[at]! ^ words[at + LINK]!
}

/** Whether a cell is that of `outpoint`. */
export const isCellOf = (arena: CellArena, cell: number, { txid, vout }: OutPoint): boolean => {
  const words = wordsOf(arena, cell)
  const at = startOf(cell)
  if (words[at + VOUT] !== (vout | 0)) return false
  for (let i = 0; i < 8; i++) if (words[at + TXID + i] !== word(txid, i * 4)) return false
  return true
}

/** What `hashOutPoint` makes of a cell's outpoint. */
export const hashOfCell = (arena: CellArena, cell: number, seed: number): number => {
  const words = wordsOf(arena, cell)
  const at = startOf(cell) + TXID
  return hashWords(seed, words[at]!, words[at + 2]!, words[at + 4]!, words[at + 6]!, words[at + 8]!)
}

const swapped = (value: number): number =>
  ((value << 24) | ((value & 0xff00) << 8) | ((value >>> 8) & 0xff00) | (value >>> 24)) >>> 0

/** The first four bytes of a cell's key behind the key space, as an unsigned number that is ordered as they are. */
export const keyPrefix = (arena: CellArena, cell: number): number =>
  swapped(wordsOf(arena, cell)[startOf(cell) + TXID]!)

/** The order of two cells' keys. */
export const compareCells = (arena: CellArena, a: number, b: number): number => {
  const [left, right] = [wordsOf(arena, a), wordsOf(arena, b)]
  const [atLeft, atRight] = [startOf(a) + TXID, startOf(b) + TXID]
  for (let i = 0; i < 8; i++) {
    if (left[atLeft + i] !== right[atRight + i]) return swapped(left[atLeft + i]!) - swapped(right[atRight + i]!)
  }
  return (left[atLeft + 8]! >>> 0) - (right[atRight + 8]! >>> 0)
}

/** Writes the outpoint of a cell as part of a key: id in wire order, number big-endian. */
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
