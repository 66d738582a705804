import type { OutPoint } from "@lockstep/kernel/model"
import { type CellArena, hashOfCell, isCellOf } from "./cell-arena.ts"
import { hashOutPoint } from "./outpoint-words.ts"

/**
 * A hash table of cells by outpoint, with open addressing over pairs: the hash, and the cell plus one (0 for a free
 * slot). The hash is next to the cell, so that a look-up of a missing outpoint seldom touches a cell.
 */
export interface CellIndex {
  readonly seed: number
  readonly arena: CellArena
  slots: Int32Array
  count: number
}

const SMALLEST = 1 << 12

/** Reports whether the table is more than 70 % full; slots are pairs. */
const isFullFor = (slots: Int32Array, count: number): boolean => count * 20 >= slots.length * 7

const slotsFor = (expected: number): Int32Array => {
  let pairs = SMALLEST
  while (expected * 10 >= pairs * 7) pairs *= 2
  return new Int32Array(pairs * 2)
}

/** Makes an empty index for `expected` cells before it has to grow. */
export const cellIndex = (arena: CellArena, seed: number, expected = 0): CellIndex => ({
  seed,
  arena,
  slots: slotsFor(expected),
  count: 0
})

/** Returns the cell of `outpoint`, or −1. */
export const findCell = ({ arena, seed, slots }: CellIndex, outpoint: OutPoint): number => {
  const mask = slots.length - 2
  const hash = hashOutPoint(seed, outpoint)
  for (let at = (hash << 1) & mask;; at = (at + 2) & mask) {
    const cell = slots[at + 1]! - 1
    if (cell < 0) return -1
    if (slots[at] === hash && isCellOf(arena, cell, outpoint)) return cell
  }
}

const place = (slots: Int32Array, hash: number, cell: number): void => {
  const mask = slots.length - 2
  let at = (hash << 1) & mask
  while (slots[at + 1] !== 0) at = (at + 2) & mask
  slots[at] = hash
  slots[at + 1] = cell + 1
}

const grow = (index: CellIndex): void => {
  const slots = new Int32Array(index.slots.length * 2)
  for (let at = 0; at < index.slots.length; at += 2) {
    if (index.slots[at + 1] !== 0) place(slots, index.slots[at]!, index.slots[at + 1]! - 1)
  }
  index.slots = slots
}

/** Adds the cell of `outpoint`. Precondition: the index has no cell of it. */
export const indexCell = (index: CellIndex, outpoint: OutPoint, cell: number): void => {
  if (isFullFor(index.slots, index.count)) grow(index)
  place(index.slots, hashOutPoint(index.seed, outpoint), cell)
  index.count++
}

const slotOf = ({ arena, seed, slots }: CellIndex, cell: number): number => {
  const mask = slots.length - 2
  let at = (hashOfCell(arena, cell, seed) << 1) & mask
  while (slots[at + 1] !== cell + 1) at = (at + 2) & mask
  return at
}

/** Removes a cell. Those behind it move up, so that no look-up ends too early. Precondition: the index contains it. */
export const unindexCell = (index: CellIndex, cell: number): void => {
  const { slots } = index
  const mask = slots.length - 2
  let hole = slotOf(index, cell)
  for (let at = (hole + 2) & mask; slots[at + 1] !== 0; at = (at + 2) & mask) {
    const home = (slots[at]! << 1) & mask
    // A pair may move into the hole if the hole is between its home slot and its present one.
    if (((at - home) & mask) < ((at - hole) & mask)) continue
    slots[hole] = slots[at]!
    slots[hole + 1] = slots[at + 1]!
    hole = at
  }
  slots[hole + 1] = 0
  index.count--
}
