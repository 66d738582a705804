import { type CellArena, compareCells, keyPrefix } from "./cell-arena.ts"

/** Number of bits for which a number holds every integer exactly. */
const EXACT_BITS = 53

/** Sorts a run of cells whose keys begin alike. */
const orderRun = (arena: CellArena, cells: Uint32Array, from: number, to: number): void => {
  cells.subarray(from, to).sort((a, b) => compareCells(arena, a, b))
}

/**
 * Sorts cells by their keys. The first bits of a key and the position of its cell make one number. Numbers are sorted
 * natively, several times as fast as with a JavaScript comparison. That comparison remains for keys that begin alike,
 * such as those of outputs of one transaction.
 */
export const sortByKey = (arena: CellArena, cells: Uint32Array): Uint32Array => {
  const count = cells.length
  const places = 2 ** Math.max(EXACT_BITS - 32, Math.ceil(Math.log2(count + 1)))
  const drop = 2 ** (32 - (EXACT_BITS - Math.log2(places)))
  const ranks = new Float64Array(count)
  for (let i = 0; i < count; i++) ranks[i] = Math.floor(keyPrefix(arena, cells[i]!) / drop) * places + i
  ranks.sort()
  const ordered = new Uint32Array(count)
  let [runStart, runPrefix] = [0, -1]
  for (let i = 0; i < count; i++) {
    const prefix = Math.floor(ranks[i]! / places)
    ordered[i] = cells[ranks[i]! - prefix * places]!
    if (prefix === runPrefix) continue
    if (i - runStart > 1) orderRun(arena, ordered, runStart, i)
    runStart = i
    runPrefix = prefix
  }
  if (count - runStart > 1) orderRun(arena, ordered, runStart, count)
  return ordered
}
