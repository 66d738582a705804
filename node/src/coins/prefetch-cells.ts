import type { OutPoint } from "@lockstep/kernel/model"
import { touchCell } from "./cell-arena.ts"
import type { CellIndex } from "./cell-index.ts"
import { hashOutPoint } from "./outpoint-words.ts"

/** Memory for prefetching. */
export interface CellPrefetch {
  readonly places: Int32Array
  /** A result that is never used. Without it a compiler would drop the reads. */
  touched: number
}

const AT_ONCE = 64

export const cellPrefetch = (): CellPrefetch => ({ places: new Int32Array(AT_ONCE), touched: 0 })

/**
 * Prefetches into the processor's cache the memory that look-ups of these outpoints will read. A look-up waits for its
 * slot, then for its cell, before the next one begins. Here no read waits for another of the same loop, so many are
 * under way at a time.
 */
export const prefetchCells = (
  ahead: CellPrefetch,
  { arena, seed, slots }: CellIndex,
  outpoints: ReadonlyArray<OutPoint>
): void => {
  const { places } = ahead
  const mask = slots.length - 2
  let touched = 0
  for (let from = 0; from < outpoints.length; from += AT_ONCE) {
    const count = Math.min(AT_ONCE, outpoints.length - from)
    for (let i = 0; i < count; i++) places[i] = (hashOutPoint(seed, outpoints[from + i]!) << 1) & mask
    // The home slot seldom holds the cell of another outpoint; the right cell is then in the next slot.
    for (let i = 0; i < count; i++) places[i] = slots[places[i]! + 1]! - 1
    for (let i = 0; i < count; i++) if (places[i]! >= 0) touched ^= touchCell(arena, places[i]!)
  }
  ahead.touched = touched
}
