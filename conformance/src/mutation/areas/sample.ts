import { createHash } from "node:crypto"

/**
 * `count` of `items`, in an order that `seed` decides on. Each item has its place by its own key: another item that
 * comes or goes moves no other, and a greater count begins with the same ones.
 */
export const sampleOf = <T>(
  items: ReadonlyArray<T>,
  count: number,
  seed: number,
  keyOf: (item: T) => string
): ReadonlyArray<T> =>
  items
    .map((item) => ({ item, place: createHash("sha256").update(`${seed}|${keyOf(item)}`).digest("hex") }))
    .toSorted((a, b) => a.place < b.place ? -1 : 1)
    .slice(0, count)
    .map(({ item }) => item)

/** One of each list in turn, and the rest of the longest. */
export const alternating = <T>(...lists: ReadonlyArray<ReadonlyArray<T>>): ReadonlyArray<T> => {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat()
}
