import { Mark, marksOf, setMarks } from "./cell-arena.ts"
import { type CoinPool, dropCell } from "./coin-pool.ts"

/** Which coins leave a full cache: those that nobody asked for lately, or whichever come next in the round. */
export type CoinEviction = "dynamic" | "fifo"

/** Walks over the cells in rounds and remembers where it stopped. */
export interface Sweep {
  hand: number
}

/**
 * Lets go of coins until at most `target` cells are in use. Under `dynamic` a coin that somebody asked for since the hand
 * came by last gets away with it once. Precondition: all coins are clean.
 */
export const evict = (pool: CoinPool, sweep: Sweep, target: number, eviction: CoinEviction): void => {
  const { arena } = pool
  for (let left = arena.top * 2; left > 0 && arena.used > target; left--) {
    const cell = sweep.hand
    sweep.hand = cell + 1 < arena.top ? cell + 1 : 0
    const marks = marksOf(arena, cell)
    if ((marks & Mark.head) === 0) continue
    if (eviction === "fifo" || (marks & Mark.warm) === 0) dropCell(pool, cell)
    else setMarks(arena, cell, marks & ~Mark.warm)
  }
}
