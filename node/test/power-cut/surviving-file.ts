import type { Random } from "../crash/random.ts"

/** What a file went through since it was synced last. */
export type Change =
  | { readonly _tag: "Write"; readonly offset: number; readonly bytes: Uint8Array; readonly isDurable: boolean }
  | { readonly _tag: "Truncate"; readonly size: number }

/** The smallest piece that a disk writes whole. */
const SECTOR = 512

/** How much of what was not synced a cut leaves. */
export type Share = "nothing" | "some" | "everything"

const endOf = (change: Change, size: number): number =>
  change._tag === "Truncate" ? change.size : Math.max(size, change.offset + change.bytes.length)

/** Draws once per key how many of the `changes` came through there. */
const drawer = (
  changes: number,
  share: Share,
  random: Random,
  least: ReadonlyMap<number, number>
): (key: number) => number => {
  const drawn = new Map<number, number>()
  const draw = (key: number): number => {
    const from = least.get(key) ?? 0
    if (share === "nothing") return from
    return share === "everything" ? changes : from + random.below(changes - from + 1)
  }
  return (key) => {
    const known = drawn.get(key)
    if (known !== undefined) return known
    const value = draw(key)
    drawn.set(key, value)
    return value
  }
}

/** Sectors that a durable write made last, and how many changes must have come through there. */
const leastVersions = (changes: ReadonlyArray<Change>): ReadonlyMap<number, number> => {
  const least = new Map<number, number>()
  changes.forEach((change, i) => {
    if (change._tag === "Truncate" || !change.isDurable) return
    for (let s = Math.floor(change.offset / SECTOR); s * SECTOR < change.offset + change.bytes.length; s++) {
      least.set(s, i + 1)
    }
  })
  return least
}

const applyTo = (content: Buffer, change: Change, from: number, to: number): void => {
  if (change._tag === "Truncate") {
    content.fill(0, Math.max(from, Math.min(change.size, to)), to)
    return
  }
  const [start, end] = [Math.max(from, change.offset), Math.min(to, change.offset + change.bytes.length)]
  if (start < end) content.set(change.bytes.subarray(start - change.offset, end - change.offset), start)
}

/**
 * The bytes of a file after a cut. Each sector holds what it held after some number of the changes, and that number is
 * drawn for each by itself: so writes come through in any order, and torn. The size is drawn in the same way; where it
 * came through and the bytes did not, there are zeros.
 */
export const survivingFile = (
  durable: Buffer,
  changes: ReadonlyArray<Change>,
  share: Share,
  random: Random
): Buffer => {
  if (changes.length === 0) return Buffer.from(durable)
  const sizes = [durable.length]
  for (const change of changes) sizes.push(endOf(change, sizes.at(-1)!))
  const content = Buffer.alloc(Math.max(...sizes))
  durable.copy(content)
  const versionAt = drawer(changes.length, share, random, leastVersions(changes))
  changes.forEach((change, i) => {
    const [from, to] = change._tag === "Truncate"
      ? [change.size, content.length]
      : [change.offset, change.offset + change.bytes.length]
    for (let s = Math.floor(from / SECTOR); s * SECTOR < to; s++) {
      if (i < versionAt(s)) applyTo(content, change, s * SECTOR, Math.min((s + 1) * SECTOR, content.length))
    }
  })
  const size = sizes[drawer(changes.length, share, random, new Map())(0)]!
  return content.subarray(0, size)
}

/** The bytes of a file after all of the changes. May write into `durable`. */
export const settledFile = (durable: Buffer, changes: ReadonlyArray<Change>): Buffer => {
  let size = durable.length
  let longest = size
  for (const change of changes) {
    size = endOf(change, size)
    longest = Math.max(longest, size)
  }
  const content = longest > durable.length ? Buffer.alloc(longest) : durable
  if (content !== durable) durable.copy(content)
  for (const change of changes) applyTo(content, change, 0, content.length)
  return content.subarray(0, size)
}
