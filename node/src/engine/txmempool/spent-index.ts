import type { OutPoint } from "@lockstep/kernel/model"
import type { TxHandle } from "@lockstep/txgraph"
import { hashOutPoint, word } from "../../coins/outpoint-words.ts"
import { findSlot, type HashSlots, hashSlots, putSlot, takeSlot } from "./hash-slots.ts"

/** The entry that spends each outpoint: cells of spender, output index and txid (8 words), found by a hash. */
export interface SpentIndex {
  readonly seed: number
  readonly slots: HashSlots
  cells: Int32Array
  /** Number of cells ever used, and the last freed cell: its first word is the next free one. */
  top: number
  free: number
}

const CELL_WORDS = 10
const NONE = -1

export const spentIndex = (seed: number): SpentIndex => ({
  seed,
  slots: hashSlots(),
  cells: new Int32Array(CELL_WORDS * 64),
  top: 0,
  free: NONE
})

const allotCell = (index: SpentIndex): number => {
  if (index.free !== NONE) {
    const cell = index.free
    index.free = index.cells[cell * CELL_WORDS]!
    return cell
  }
  if (index.top * CELL_WORDS === index.cells.length) {
    const cells = new Int32Array(index.cells.length * 2)
    cells.set(index.cells)
    index.cells = cells
  }
  return index.top++
}

const isAt = ({ cells }: SpentIndex, cell: number, { txid, vout }: OutPoint): boolean => {
  const at = cell * CELL_WORDS
  if (cells[at + 1] !== (vout | 0)) return false
  for (let i = 0; i < 8; i++) if (cells[at + 2 + i] !== word(txid, i * 4)) return false
  return true
}

const cellOf = (index: SpentIndex, outpoint: OutPoint): number | undefined =>
  findSlot(index.slots, hashOutPoint(index.seed, outpoint), (cell) => isAt(index, cell, outpoint))

/** Returns the entry that spends an outpoint, or `undefined`. */
export const spenderOf = (index: SpentIndex, outpoint: OutPoint): TxHandle | undefined => {
  const cell = cellOf(index, outpoint)
  return cell === undefined ? undefined : index.cells[cell * CELL_WORDS]!
}

/** Adds a spent outpoint. Precondition: no entry spends it. */
export const indexSpent = (index: SpentIndex, outpoint: OutPoint, spender: TxHandle): void => {
  const cell = allotCell(index)
  const at = cell * CELL_WORDS
  index.cells[at] = spender
  index.cells[at + 1] = outpoint.vout
  for (let i = 0; i < 8; i++) index.cells[at + 2 + i] = word(outpoint.txid, i * 4)
  putSlot(index.slots, hashOutPoint(index.seed, outpoint), cell)
}

/** Removes a spent outpoint. */
export const unindexSpent = (index: SpentIndex, outpoint: OutPoint): void => {
  const cell = cellOf(index, outpoint)
  if (cell === undefined) return
  takeSlot(index.slots, hashOutPoint(index.seed, outpoint), (each) => each === cell)
  index.cells[cell * CELL_WORDS] = index.free
  index.free = cell
}
