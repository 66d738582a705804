import type { OutPoint } from "@lockstep/kernel/model"
import type { Coin } from "@lockstep/kernel/utxo"
import {
  addCell,
  type CellArena,
  cellArena,
  CLEAN,
  type CoinNumbers,
  coinIn,
  holds,
  freeCell,
  Mark,
  marksOf,
  setMarks,
  writeCell
} from "./cell-arena.ts"
import { type CellIndex, cellIndex, findCell, indexCell, unindexCell } from "./cell-index.ts"
import { readNumbers } from "./coin-codec.ts"
import { type CellPrefetch, cellPrefetch } from "./prefetch-cells.ts"

/**
 * Coins in memory and how each compares to the store.
 *
 * clean: exists, stored, clean      dirty: exists, stored      fresh: exists      spent: stored
 *
 * Dirty means changed since the last flush; fresh means that the store has no coin with this outpoint. A fresh coin
 * that is spent is removed. A clean one that is spent keeps its bytes, so that it is clean again if it returns
 * unchanged.
 */
export interface CoinSlots {
  readonly arena: CellArena
  readonly index: CellIndex
  /** Every cell that is not clean, and some that are clean or no longer hold a coin; each once. */
  dirtyList: Uint32Array
  dirtyCount: number
  /** Number of cells that are not clean. */
  changes: number
  /** Grows with every change. */
  version: number
  readonly numbers: CoinNumbers
  readonly ahead: CellPrefetch
}

/** Makes empty slots. `expected` coins fit before the index has to grow. */
export const coinSlots = (seed: number, expected = 0): CoinSlots => {
  const arena = cellArena()
  return {
    arena,
    index: cellIndex(arena, seed, expected),
    dirtyList: new Uint32Array(1024),
    dirtyCount: 0,
    changes: 0,
    version: 0,
    numbers: { code: 0, value: 0 },
    ahead: cellPrefetch()
  }
}

const STATE = Mark.exists | Mark.stored | Mark.clean

/** Sets the state of a cell, and updates the count and the list of cells that are not clean. */
const setState = (slots: CoinSlots, cell: number, marks: number, state: number): void => {
  const [was, is] = [(marks & STATE) !== CLEAN, state !== CLEAN]
  if (is && !was) slots.changes++
  if (was && !is) slots.changes--
  setMarks(slots.arena, cell, (marks & ~STATE) | state | (is ? Mark.listed : 0))
  if (!is || (marks & Mark.listed) !== 0) return
  if (slots.dirtyCount === slots.dirtyList.length) {
    const longer = new Uint32Array(slots.dirtyList.length * 2)
    longer.set(slots.dirtyList)
    slots.dirtyList = longer
  }
  slots.dirtyList[slots.dirtyCount++] = cell
}

/** Removes a cell. Precondition: it counts as clean, or the caller has counted it. */
export const dropCell = (slots: CoinSlots, cell: number): void => {
  unindexCell(slots.index, cell)
  freeCell(slots.arena, cell)
}

const create = (slots: CoinSlots, outpoint: OutPoint, script: Uint8Array, from: number, state: number): void => {
  const { arena, index, numbers } = slots
  const cell = addCell(arena, outpoint)
  indexCell(index, outpoint, cell)
  writeCell(arena, cell, numbers, script, from, script.length - from)
  // Counted as clean until its state says otherwise.
  setState(slots, cell, marksOf(arena, cell) | Mark.head | Mark.warm | CLEAN, state)
}

/** Adds a coin of the store: `numbers` of the slots, script from `from` on. Precondition: the slots do not contain it. */
export const loadCoin = (slots: CoinSlots, outpoint: OutPoint, bytes: Uint8Array, from: number): void =>
  create(slots, outpoint, bytes, from, CLEAN)

const spend = (slots: CoinSlots, cell: number, marks: number): void => {
  if ((marks & Mark.exists) === 0) return
  if ((marks & Mark.stored) !== 0) return setState(slots, cell, marks, marks & STATE & ~Mark.exists)
  slots.changes--
  dropCell(slots, cell)
}

const restore = (slots: CoinSlots, cell: number, marks: number, coin: Coin): void => {
  const { arena, numbers } = slots
  readNumbers(coin, numbers)
  if (holds(arena, cell, numbers, coin.script)) return setState(slots, cell, marks, (marks & STATE) | Mark.exists)
  writeCell(arena, cell, numbers, coin.script, 0, coin.script.length)
  setState(slots, cell, marks, (marks & Mark.stored) | Mark.exists)
}

/**
 * Sets the coin at `outpoint`; `undefined` if it does not exist. An outpoint that is not in memory counts as not in the
 * store.
 */
export const setCoin = (slots: CoinSlots, outpoint: OutPoint, coin: Coin | undefined): void => {
  slots.version++
  const cell = findCell(slots.index, outpoint)
  if (cell < 0) {
    if (coin === undefined) return
    readNumbers(coin, slots.numbers)
    return create(slots, outpoint, coin.script, 0, Mark.exists)
  }
  const marks = marksOf(slots.arena, cell)
  return coin === undefined ? spend(slots, cell, marks) : restore(slots, cell, marks, coin)
}

/** Returns the coin at `outpoint` if it is in memory. */
export const coinOf = ({ arena, index }: CoinSlots, outpoint: OutPoint): Coin | undefined => {
  const cell = findCell(index, outpoint)
  if (cell < 0) return undefined
  const marks = marksOf(arena, cell)
  if ((marks & Mark.exists) === 0) return undefined
  if ((marks & Mark.warm) === 0) setMarks(arena, cell, marks | Mark.warm)
  return coinIn(arena, cell)
}

/** Returns the cells that are not clean, in no particular order. */
export const dirtyCells = ({ arena, changes, dirtyList, dirtyCount }: CoinSlots): Uint32Array => {
  const cells = new Uint32Array(changes)
  let count = 0
  for (let i = 0; i < dirtyCount; i++) {
    const marks = marksOf(arena, dirtyList[i]!)
    if ((marks & Mark.head) !== 0 && (marks & STATE) !== CLEAN) cells[count++] = dirtyList[i]!
  }
  return cells
}

/** Drops spent coins and marks all others as clean, after a coins flush wrote all changes to the store. */
export const markFlushed = (slots: CoinSlots): void => {
  const { arena, dirtyList, dirtyCount } = slots
  for (let i = 0; i < dirtyCount; i++) {
    const cell = dirtyList[i]!
    const marks = marksOf(arena, cell) & ~Mark.listed
    if ((marks & Mark.head) !== 0 && (marks & Mark.exists) !== 0) setMarks(arena, cell, marks | CLEAN)
    else setMarks(arena, cell, marks)
    if ((marks & Mark.head) !== 0 && (marks & Mark.exists) === 0) dropCell(slots, cell)
  }
  slots.dirtyCount = 0
  slots.changes = 0
}
