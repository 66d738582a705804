import { Mark, marksOf, setMarks } from "./cell-arena.ts"
import { type CoinSlots, dropCell } from "./coin-slots.ts"

/** The order in which a full cache evicts coins: `dynamic` by CLOCK (second chance), `fifo` in the order of the cells. */
export type CoinEviction = "dynamic" | "fifo"

/** The hand of the CLOCK algorithm, which walks over the cells in rounds and remembers where it stopped. */
export interface ClockHand {
  hand: number
}

/**
 * Evicts coins until at most `target` cells are in use. With `dynamic`, a coin that was looked up since the hand last
 * passed gets a second chance: the hand clears its mark and spares it once. Precondition: all coins are clean.
 */
export const evict = (slots: CoinSlots, clockHand: ClockHand, target: number, eviction: CoinEviction): void => {
  const { arena } = slots
  for (let left = arena.top * 2; left > 0 && arena.used > target; left--) {
    const cell = clockHand.hand
    clockHand.hand = cell + 1 < arena.top ? cell + 1 : 0
    const marks = marksOf(arena, cell)
    if ((marks & Mark.head) === 0) continue
    if (eviction === "fifo" || (marks & Mark.warm) === 0) dropCell(slots, cell)
    else setMarks(arena, cell, marks & ~Mark.warm)
  }
}
