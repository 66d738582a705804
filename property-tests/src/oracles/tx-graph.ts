import { bestOrder, byRate, chunksOf, type NaiveChunk, type NaiveEntry } from "./linearization.ts"

/** A graph that keeps transactions alone and computes everything else anew whenever it is asked. */
export type NaiveGraph = ReadonlyMap<number, NaiveEntry>

export interface NaiveLimits {
  readonly transactions: number
  readonly size: number
}

/** The graph with one more transaction. */
export const withEntry = (
  graph: NaiveGraph,
  entry: Omit<NaiveEntry, "ancestors">,
  parents: ReadonlyArray<number>
): NaiveGraph => {
  const ancestors = new Set([entry.key, ...parents.flatMap((parent) => [...graph.get(parent)!.ancestors])])
  return new Map([...graph, [entry.key, { ...entry, ancestors }]])
}

/** The graph without some transactions. What was an ancestor across them stays one. */
export const without = (graph: NaiveGraph, gone: ReadonlySet<number>): NaiveGraph =>
  new Map(
    [...graph.values()].filter(({ key }) => !gone.has(key)).map((entry) => {
      const ancestors = new Set([...entry.ancestors].filter((key) => !gone.has(key)))
      return [entry.key, { ...entry, ancestors }]
    })
  )

/** The graph with one more dependency. */
export const withDependency = (graph: NaiveGraph, parent: number, child: number): NaiveGraph =>
  new Map(
    [...graph.values()].map((entry) => {
      if (!entry.ancestors.has(child)) return [entry.key, entry]
      return [entry.key, { ...entry, ancestors: new Set([...entry.ancestors, ...graph.get(parent)!.ancestors]) }]
    })
  )

export const withFee = (graph: NaiveGraph, key: number, fee: number): NaiveGraph =>
  new Map([...graph, [key, { ...graph.get(key)!, fee }]])

export const naiveAncestors = (graph: NaiveGraph, keys: ReadonlyArray<number>): ReadonlySet<number> =>
  new Set(keys.flatMap((key) => [...graph.get(key)!.ancestors]))

export const naiveDescendants = (graph: NaiveGraph, keys: ReadonlyArray<number>): ReadonlySet<number> =>
  new Set([...graph.values()].filter(({ ancestors }) => keys.some((key) => ancestors.has(key))).map(({ key }) => key))

/** The connected components. */
export const naiveClusters = (graph: NaiveGraph): ReadonlyArray<ReadonlyArray<NaiveEntry>> => {
  let clusters: ReadonlyArray<ReadonlyArray<NaiveEntry>> = []
  for (const entry of graph.values()) {
    const isNear = (cluster: ReadonlyArray<NaiveEntry>): boolean =>
      cluster.some(({ ancestors, key }) => entry.ancestors.has(key) || ancestors.has(entry.key))
    clusters = [...clusters.filter((each) => !isNear(each)), [...clusters.filter(isNear).flat(), entry]]
  }
  return clusters
}

export const isWithin = (cluster: ReadonlyArray<NaiveEntry>, limits: NaiveLimits): boolean =>
  cluster.length <= limits.transactions && cluster.reduce((sum, { size }) => sum + size, 0) <= limits.size

/** All chunks of linearized clusters in mining order. */
export const naiveMiningOrder = (clusters: ReadonlyArray<ReadonlyArray<NaiveEntry>>): ReadonlyArray<NaiveChunk> => {
  const placed = clusters.flatMap((order) => {
    const chunks = chunksOf(order)
    return chunks.map((chunk, at) => {
      const prefix = chunks.slice(0, at + 1).filter((other) => byRate(other, chunk) === 0)
      return {
        chunk,
        prefix: prefix.reduce((sum, { size }) => sum + size, 0n),
        rank: Math.max(...chunk.entries.map(({ rank }) => rank))
      }
    })
  })
  return placed
    .toSorted((a, b) => byRate(a.chunk, b.chunk) || Number(a.prefix - b.prefix) || a.rank - b.rank)
    .map(({ chunk }) => chunk)
}

/** The mining order of a graph whose clusters have a few transactions each. */
export const bestMiningOrder = (graph: NaiveGraph): ReadonlyArray<NaiveChunk> =>
  naiveMiningOrder(naiveClusters(graph).map(bestOrder))

/** Chunks of the clusters that some transactions are in, as a diagram has them. */
export const naiveDiagram = (graph: NaiveGraph, keys: ReadonlySet<number>): ReadonlyArray<NaiveChunk> =>
  naiveClusters(graph)
    .filter((cluster) => cluster.some(({ key }) => keys.has(key)))
    .flatMap((cluster) => chunksOf(bestOrder(cluster)))
    .toSorted((a, b) => byRate(a, b) || Number(a.size - b.size))

/** An old cluster in its order, with the chunk of each of its transactions. */
interface Candidate {
  readonly entry: NaiveEntry
  readonly chunk: NaiveChunk
  readonly before: ReadonlyArray<number>
}

/**
 * Which transactions go when dependencies join the ordered clusters: the best available one is kept if its predecessors
 * are and what it joins is within the limits.
 */
export const naiveTrim = (
  orders: ReadonlyArray<ReadonlyArray<NaiveEntry>>,
  dependencies: ReadonlyArray<readonly [parent: number, child: number]>,
  limits: NaiveLimits
): ReadonlySet<number> => {
  const candidates = orders.flatMap((order) => {
    const chunks = chunksOf(order)
    return order.map((entry, at): Candidate => ({
      entry,
      chunk: chunks.find(({ entries }) => entries.includes(entry))!,
      before: [
        ...order.slice(Math.max(0, at - 1), at).map(({ key }) => key),
        ...dependencies.filter(([, child]) => child === entry.key).map(([parent]) => parent)
      ]
    }))
  }).toSorted((a, b) => byRate(a.chunk, b.chunk) || Number(a.chunk.size - b.chunk.size) || a.entry.rank - b.entry.rank)
  let partial: ReadonlyArray<ReadonlyArray<NaiveEntry>> = []
  const tried = new Set<number>()
  const kept = new Set<number>()
  for (;;) {
    const next = candidates.find(({ before, entry }) => !tried.has(entry.key) && before.every((key) => kept.has(key)))
    if (next === undefined) break
    tried.add(next.entry.key)
    const isJoined = (cluster: ReadonlyArray<NaiveEntry>): boolean =>
      cluster.some(({ key }) => next.before.includes(key))
    const union = [...partial.filter(isJoined).flat(), next.entry]
    if (!isWithin(union, limits)) continue
    kept.add(next.entry.key)
    partial = [...partial.filter((cluster) => !isJoined(cluster)), union]
  }
  return new Set(candidates.map(({ entry }) => entry.key).filter((key) => !kept.has(key)))
}

const block = (length: number): number => Math.floor((length + 31) / 16) * 16

/** What Bitcoin Core counts for transactions, chunks and clusters. */
export const naiveMemory = (clusters: ReadonlyArray<ReadonlyArray<unknown>>, chunks: number): number =>
  clusters.reduce((sum, { length: n }) => {
    const cluster = n === 1 ? 72 : 2 * block(4 * n) + block(32 * n) + 136
    return sum + cluster + 80 * n
  }, 64 * chunks)
