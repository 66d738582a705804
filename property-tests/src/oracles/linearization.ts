/** A transaction of the naive graph. Ancestors are by key, its own included; `rank` is the raw order of its txid. */
export interface NaiveEntry {
  readonly key: number
  readonly rank: number
  readonly fee: number
  readonly size: number
  readonly ancestors: ReadonlySet<number>
}

/** Sums of a chunk, exact. */
export interface NaiveChunk {
  readonly fee: bigint
  readonly size: bigint
  readonly entries: ReadonlyArray<NaiveEntry>
}

export const chunkOf = (entries: ReadonlyArray<NaiveEntry>): NaiveChunk => ({
  entries,
  fee: entries.reduce((sum, { fee }) => sum + BigInt(fee), 0n),
  size: entries.reduce((sum, { size }) => sum + BigInt(size), 0n)
})

const sign = (value: bigint): number => (value < 0n ? -1 : value > 0n ? 1 : 0)

/** Below 0 where `a` pays the higher feerate. */
export const byRate = (a: Omit<NaiveChunk, "entries">, b: Omit<NaiveChunk, "entries">): number =>
  sign(b.fee * a.size - a.fee * b.size)

const greatestRank = ({ entries }: NaiveChunk): number => Math.max(...entries.map(({ rank }) => rank))

const better = (a: NaiveChunk, b: NaiveChunk): number =>
  byRate(a, b) || sign(a.size - b.size) || greatestRank(a) - greatestRank(b)

/** Cuts an order into chunks: neighbours merge while the later pays the higher feerate. */
export const chunksOf = (order: ReadonlyArray<NaiveEntry>): ReadonlyArray<NaiveChunk> => {
  let chunks: ReadonlyArray<NaiveChunk> = order.map((entry) => chunkOf([entry]))
  for (;;) {
    const at = chunks.findIndex((chunk, i) => i > 0 && byRate(chunk, chunks[i - 1]!) < 0)
    if (at < 0) return chunks
    const merged = chunkOf([...chunks[at - 1]!.entries, ...chunks[at]!.entries])
    chunks = [...chunks.slice(0, at - 1), merged, ...chunks.slice(at + 1)]
  }
}

const isReady = (entry: NaiveEntry, left: ReadonlyArray<NaiveEntry>): boolean =>
  left.every(({ key }) => key === entry.key || !entry.ancestors.has(key))

/** Every set of entries that holds the ancestors of its members, as far as they are among the entries. */
const closedSets = (entries: ReadonlyArray<NaiveEntry>): ReadonlyArray<ReadonlyArray<NaiveEntry>> => {
  const sets: Array<ReadonlyArray<NaiveEntry>> = []
  for (let mask = 1; mask < 1 << entries.length; mask++) {
    const within = entries.filter((_, i) => (mask >> i) & 1)
    const without = entries.filter((_, i) => !((mask >> i) & 1))
    if (within.every((entry) => isReady(entry, [entry, ...without]))) sets.push(within)
  }
  return sets
}

/** The chunk that comes first: of the highest feerate, without a smaller one inside it, then by size and txid. */
const firstChunk = (entries: ReadonlyArray<NaiveEntry>): NaiveChunk => {
  const all = closedSets(entries).map(chunkOf)
  const best = all.reduce((a, b) => (byRate(b, a) < 0 ? b : a))
  const equal = all.filter((chunk) => byRate(chunk, best) === 0)
  const minimal = equal.filter((chunk) =>
    equal.every((other) => other === chunk || !other.entries.every((entry) => chunk.entries.includes(entry)))
  )
  return minimal.toSorted(better)[0]!
}

/** The best transaction first, of those whose ancestors are out. */
const orderWithin = (entries: ReadonlyArray<NaiveEntry>): ReadonlyArray<NaiveEntry> => {
  if (entries.length === 0) return []
  const ready = entries.filter((entry) => isReady(entry, entries))
  const [first] = ready.toSorted((a, b) => better(chunkOf([a]), chunkOf([b])))
  return [first!, ...orderWithin(entries.filter((entry) => entry !== first))]
}

const needs = (later: NaiveChunk, earlier: NaiveChunk): boolean =>
  later.entries.some(({ ancestors }) => earlier.entries.some(({ key }) => ancestors.has(key)))

const backwardPass = (order: ReadonlyArray<NaiveEntry>): ReadonlyArray<NaiveEntry> => {
  let groups: Array<NaiveChunk> = []
  for (const entry of order.toReversed()) {
    let group = chunkOf([entry])
    const passed: Array<NaiveChunk> = []
    while (groups.length > 0 && byRate(groups[0]!, group) < 0) {
      const next = groups.shift()!
      if (needs(next, group)) group = chunkOf([...group.entries, ...next.entries])
      else passed.push(next)
    }
    groups = [...passed, group, ...groups]
  }
  return groups.flatMap(({ entries }) => entries)
}

const forwardPass = (order: ReadonlyArray<NaiveEntry>): ReadonlyArray<NaiveEntry> => {
  let groups: Array<NaiveChunk> = []
  for (const entry of order) {
    let group = chunkOf([entry])
    const passed: Array<NaiveChunk> = []
    while (groups.length > 0 && byRate(group, groups.at(-1)!) < 0) {
      const before = groups.pop()!
      if (needs(group, before)) group = chunkOf([...before.entries, ...group.entries])
      else passed.unshift(before)
    }
    groups = [...groups, group, ...passed]
  }
  return groups.flatMap(({ entries }) => entries)
}

/** The one order of a cluster of a few transactions. */
export const bestOrder = (cluster: ReadonlyArray<NaiveEntry>): ReadonlyArray<NaiveEntry> => {
  let order: ReadonlyArray<NaiveEntry> = []
  for (let left = cluster; left.length > 0;) {
    const { entries } = firstChunk(left)
    order = [...order, ...orderWithin(entries)]
    left = left.filter((entry) => !entries.includes(entry))
  }
  return forwardPass(backwardPass(order))
}

/** Every topological order. */
export const allOrders = (
  entries: ReadonlyArray<NaiveEntry>
): ReadonlyArray<ReadonlyArray<NaiveEntry>> => {
  if (entries.length === 0) return [[]]
  return entries.filter((entry) => isReady(entry, entries)).flatMap((entry) =>
    allOrders(entries.filter((other) => other !== entry)).map((order) => [entry, ...order])
  )
}

/** The order by ancestor feerate: always the transaction that pays best together with its missing ancestors. */
export const ancestorFeerateOrder = (entries: ReadonlyArray<NaiveEntry>): ReadonlyArray<NaiveEntry> => {
  let order: ReadonlyArray<NaiveEntry> = []
  for (let left = entries; left.length > 0;) {
    const sets = left.map(({ ancestors }) => chunkOf(left.filter(({ key }) => ancestors.has(key))))
    const { entries: best } = sets.reduce((a, b) => (byRate(b, a) < 0 ? b : a))
    order = [...order, ...best.toSorted((a, b) => a.ancestors.size - b.ancestors.size)]
    left = left.filter((entry) => !best.includes(entry))
  }
  return order
}

/** Where a diagram's curve is at a size: fee times the size of the segment, and that size. */
const feeAt = (chunks: ReadonlyArray<NaiveChunk>, size: bigint): readonly [bigint, bigint] => {
  let fee = 0n
  let start = 0n
  for (const chunk of chunks) {
    if (start + chunk.size >= size) return [fee * chunk.size + chunk.fee * (size - start), chunk.size]
    fee += chunk.fee
    start += chunk.size
  }
  return [fee, 1n]
}

/** How two diagrams lie to each other. */
export const diagramOrder = (a: ReadonlyArray<NaiveChunk>, b: ReadonlyArray<NaiveChunk>): string => {
  const sizes = [a, b].flatMap((chunks) => {
    let end = 0n
    return chunks.map(({ size }) => (end += size))
  })
  const signs = sizes.map((size) => {
    const [feeA, scaleA] = feeAt(a, size)
    const [feeB, scaleB] = feeAt(b, size)
    return sign(feeA * scaleB - feeB * scaleA)
  })
  const [above, below] = [signs.includes(1), signs.includes(-1)]
  if (above) return below ? "incomparable" : "better"
  return below ? "worse" : "equal"
}
