/** Position of a block in one of the files that are being read. */
export interface BlockSpot {
  /** Index of the file among those. */
  readonly source: number
  readonly offset: number
  readonly size: number
}

/** Blocks that were read before their parents: their positions, not their bytes. Some forty bytes of memory each. */
export interface WaitingBlocks {
  readonly add: (previous: Uint8Array, spot: BlockSpot) => void
  /** Removes and returns those whose parent may be the block with this hash. The reader of a block checks its parent. */
  readonly take: (hash: Uint8Array) => ReadonlyArray<BlockSpot>
  /** Reports whether such blocks may exist. */
  readonly has: (hash: Uint8Array) => boolean
  readonly count: () => number
  readonly countOf: (source: number) => number
}

/** Six bytes of a hash: hashes that share them are confused, which costs a check. */
const keyOf = (hash: Uint8Array): number =>
  hash[0]! + hash[1]! * 2 ** 8 + hash[2]! * 2 ** 16 + hash[3]! * 2 ** 24 + hash[4]! * 2 ** 32 + hash[5]! * 2 ** 40

interface Columns {
  readonly source: Uint32Array
  readonly offset: Float64Array
  readonly size: Uint32Array
  /** Index + 1 of the next one with the same key, or the next free row. */
  readonly next: Uint32Array
}

const columnsOf = (rows: number): Columns => ({
  source: new Uint32Array(rows),
  offset: new Float64Array(rows),
  size: new Uint32Array(rows),
  next: new Uint32Array(rows)
})

const doubled = (columns: Columns): Columns => {
  const larger = columnsOf(columns.source.length * 2)
  larger.source.set(columns.source)
  larger.offset.set(columns.offset)
  larger.size.set(columns.size)
  larger.next.set(columns.next)
  return larger
}

export const waitingBlocks = (): WaitingBlocks => {
  const heads = new Map<number, number>()
  const counts = new Map<number, number>()
  let columns = columnsOf(256)
  let top = 0
  let free = 0
  let count = 0

  const row = (): number => {
    if (free === 0) {
      if (top === columns.source.length) columns = doubled(columns)
      return top++
    }
    const taken = free - 1
    free = columns.next[taken]!
    return taken
  }

  const addTo = (source: number, difference: number): void => {
    count += difference
    counts.set(source, (counts.get(source) ?? 0) + difference)
  }

  return {
    add: (previous, { offset, size, source }) => {
      const at = row()
      const key = keyOf(previous)
      columns.source[at] = source
      columns.offset[at] = offset
      columns.size[at] = size
      columns.next[at] = heads.get(key) ?? 0
      heads.set(key, at + 1)
      addTo(source, 1)
    },
    take: (hash) => {
      const key = keyOf(hash)
      const spots: Array<BlockSpot> = []
      let at = heads.get(key) ?? 0
      heads.delete(key)
      while (at !== 0) {
        const { next, offset, size, source } = columns
        const each = at - 1
        spots.push({ source: source[each]!, offset: offset[each]!, size: size[each]! })
        addTo(source[each]!, -1)
        at = next[each]!
        next[each] = free
        free = each + 1
      }
      // The list goes from the newest to the oldest.
      return spots.reverse()
    },
    has: (hash) => heads.has(keyOf(hash)),
    count: () => count,
    countOf: (source) => counts.get(source) ?? 0
  }
}
