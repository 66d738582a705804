import type { OutPoint } from "@lockstep/kernel/model/transaction.ts"
import type { Coin } from "@lockstep/kernel/utxo/coin.ts"
import {
  addCell,
  type CellArena,
  cellArena,
  CLEAN,
  type CoinNumbers,
  coinIn,
  holds,
  letGo,
  Mark,
  marksOf,
  setMarks,
  writeCell
} from "./cell-arena.ts"
import { type CellIndex, cellIndex, findCell, indexCell, unindexCell } from "./cell-index.ts"
import { readNumbers } from "./coin-codec.ts"
import { type LookAhead, lookAhead } from "./prefetch.ts"

/**
 * Coins in memory and how each stands to the store.
 *
 *     clean: exists, stored, same      changed: exists, stored      fresh: exists      spent: stored
 *
 * A fresh coin that is spent leaves nothing behind. A clean one that is spent keeps its bytes, so that it is clean again
 * when it comes back as it was.
 */
export interface CoinPool {
  readonly arena: CellArena
  readonly index: CellIndex
  /** Every cell that is not clean, and some that are or that hold no coin any more; each once. */
  listed: Uint32Array
  listedCount: number
  /** Cells that are not clean. */
  changes: number
  /** Grows with every change. */
  version: number
  readonly numbers: CoinNumbers
  readonly ahead: LookAhead
}

/** An empty pool, in which `expected` coins find place before its index has to grow. */
export const coinPool = (seed: number, expected = 0): CoinPool => {
  const arena = cellArena()
  return {
    arena,
    index: cellIndex(arena, seed, expected),
    listed: new Uint32Array(1024),
    listedCount: 0,
    changes: 0,
    version: 0,
    numbers: { code: 0, value: 0 },
    ahead: lookAhead()
  }
}

const STATE = Mark.exists | Mark.stored | Mark.same

/** Gives a cell a new state, and keeps count and list of what is not clean. */
const setState = (pool: CoinPool, cell: number, marks: number, state: number): void => {
  const [was, is] = [(marks & STATE) !== CLEAN, state !== CLEAN]
  if (is && !was) pool.changes++
  if (was && !is) pool.changes--
  setMarks(pool.arena, cell, (marks & ~STATE) | state | (is ? Mark.listed : 0))
  if (!is || (marks & Mark.listed) !== 0) return
  if (pool.listedCount === pool.listed.length) {
    const longer = new Uint32Array(pool.listed.length * 2)
    longer.set(pool.listed)
    pool.listed = longer
  }
  pool.listed[pool.listedCount++] = cell
}

/** Takes a cell out. Precondition: it counts as clean, or the caller has counted. */
export const dropCell = (pool: CoinPool, cell: number): void => {
  unindexCell(pool.index, cell)
  letGo(pool.arena, cell)
}

const create = (pool: CoinPool, outpoint: OutPoint, script: Uint8Array, from: number, state: number): void => {
  const { arena, index, numbers } = pool
  const cell = addCell(arena, outpoint)
  indexCell(index, outpoint, cell)
  writeCell(arena, cell, numbers, script, from, script.length - from)
  // Counted as clean until its state says otherwise.
  setState(pool, cell, marksOf(arena, cell) | Mark.head | Mark.warm | CLEAN, state)
}

/** Takes in a coin as the store has it: `numbers` of the pool, script from `from` on. Precondition: it is not here. */
export const loadCoin = (pool: CoinPool, outpoint: OutPoint, bytes: Uint8Array, from: number): void =>
  create(pool, outpoint, bytes, from, CLEAN)

const spend = (pool: CoinPool, cell: number, marks: number): void => {
  if ((marks & Mark.exists) === 0) return
  if ((marks & Mark.stored) !== 0) return setState(pool, cell, marks, marks & STATE & ~Mark.exists)
  pool.changes--
  dropCell(pool, cell)
}

const restore = (pool: CoinPool, cell: number, marks: number, coin: Coin): void => {
  const { arena, numbers } = pool
  readNumbers(coin, numbers)
  if (holds(arena, cell, numbers, coin.script)) return setState(pool, cell, marks, (marks & STATE) | Mark.exists)
  writeCell(arena, cell, numbers, coin.script, 0, coin.script.length)
  setState(pool, cell, marks, (marks & Mark.stored) | Mark.exists)
}

/** Makes `coin` the one at `outpoint`; none: there is no coin. What is not in memory is taken not to be in the store. */
export const changeCoin = (pool: CoinPool, outpoint: OutPoint, coin: Coin | undefined): void => {
  pool.version++
  const cell = findCell(pool.index, outpoint)
  if (cell < 0) {
    if (coin === undefined) return
    readNumbers(coin, pool.numbers)
    return create(pool, outpoint, coin.script, 0, Mark.exists)
  }
  const marks = marksOf(pool.arena, cell)
  return coin === undefined ? spend(pool, cell, marks) : restore(pool, cell, marks, coin)
}

/** The coin at `outpoint`, as far as it is in memory. */
export const coinOf = ({ arena, index }: CoinPool, outpoint: OutPoint): Coin | undefined => {
  const cell = findCell(index, outpoint)
  if (cell < 0) return undefined
  const marks = marksOf(arena, cell)
  if ((marks & Mark.exists) === 0) return undefined
  if ((marks & Mark.warm) === 0) setMarks(arena, cell, marks | Mark.warm)
  return coinIn(arena, cell)
}

/** The cells that are not clean, in no order. */
export const changedCells = ({ arena, changes, listed, listedCount }: CoinPool): Uint32Array => {
  const cells = new Uint32Array(changes)
  let count = 0
  for (let i = 0; i < listedCount; i++) {
    const marks = marksOf(arena, listed[i]!)
    if ((marks & Mark.head) !== 0 && (marks & STATE) !== CLEAN) cells[count++] = listed[i]!
  }
  return cells
}

/** All changes are in the store: what is spent goes, the rest is clean. */
export const settle = (pool: CoinPool): void => {
  const { arena, listed, listedCount } = pool
  for (let i = 0; i < listedCount; i++) {
    const cell = listed[i]!
    const marks = marksOf(arena, cell) & ~Mark.listed
    if ((marks & Mark.head) !== 0 && (marks & Mark.exists) !== 0) setMarks(arena, cell, marks | CLEAN)
    else setMarks(arena, cell, marks)
    if ((marks & Mark.head) !== 0 && (marks & Mark.exists) === 0) dropCell(pool, cell)
  }
  pool.listedCount = 0
  pool.changes = 0
}
