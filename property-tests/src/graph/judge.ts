import { ancestorFeerateOrder, bestOrder, chunksOf, diagramOrder, type NaiveEntry } from "../oracles/linearization.ts"
import { naiveAncestors, naiveClusters, naiveDescendants, naiveMemory, naiveMiningOrder } from "../oracles/tx-graph.ts"
import { handles, keysOf, type Players, players } from "./players.ts"

/** Up to this many transactions a cluster has its order from brute force. */
export const FEW = 8

const differs = (what: string, actual: unknown, expected: unknown): string | undefined => {
  const [said, wanted] = [JSON.stringify(actual), JSON.stringify(expected)]
  return said === wanted ? undefined : `${what}: ${said}, expected ${wanted}`
}

export const ascending = (keys: Iterable<number>): ReadonlyArray<number> => [...keys].toSorted((a, b) => a - b)

/** The order the graph has for a cluster; wrong if that is not what it must or may be. */
const orderOf = (at: Players, cluster: ReadonlyArray<NaiveEntry>): ReadonlyArray<NaiveEntry> =>
  keysOf(at, at.graph.cluster(at.handleOf.get(cluster[0]!.key)!).flatMap(({ transactions }) => transactions))
    .map((key) => at.naive.get(key)!)

const wrongOrder = (
  at: Players,
  cluster: ReadonlyArray<NaiveEntry>,
  order: ReadonlyArray<NaiveEntry>
): string | undefined => {
  const keys = order.map((entry) => entry?.key)
  const wrong = differs("transactions of a cluster", ascending(keys), ascending(cluster.map(({ key }) => key)))
  if (wrong !== undefined) return wrong
  const early = order.find(({ ancestors }, i) => [...ancestors].some((key) => keys.indexOf(key) > i))
  if (early !== undefined) return `${early.key} comes before an ancestor of it`
  if (cluster.length <= FEW && at.graph.isOptimal()) {
    const expected = bestOrder(cluster).map(({ key }) => key)
    return differs("order of a cluster", keys, expected)
  }
  const against = diagramOrder(chunksOf(order), chunksOf(ancestorFeerateOrder(cluster)))
  return against === "better" || against === "equal" || !at.graph.isOptimal()
    ? undefined
    : `a cluster of ${cluster.length} is ${against} than by ancestor feerate`
}

/** The chunks from best to worst, as the graph goes through them. */
const chunksInOrder = ({ graph }: Players): ReadonlyArray<ReturnType<typeof graph.chunk>> => {
  const chunks = []
  for (let at = graph.bestChunk(); at !== undefined; at = graph.nextChunk(at)) chunks.push(graph.chunk(at))
  return chunks
}

const wrongRelations = (at: Players): string | undefined => {
  for (const [key, handle] of at.handleOf) {
    const said = [at.graph.ancestors([handle]), at.graph.descendants([handle])]
      .map((txs) => ascending(keysOf(at, txs)))
    const wanted = [naiveAncestors(at.naive, [key]), naiveDescendants(at.naive, [key])]
      .map(ascending)
    const wrong = differs(`ancestors and descendants of ${key}`, said, wanted)
    if (wrong !== undefined) return wrong
  }
  return undefined
}

const wrongMiningOrder = (at: Players, orders: ReadonlyArray<ReadonlyArray<NaiveEntry>>): string | undefined => {
  const { graph } = at
  const expected = naiveMiningOrder(orders)
  const said = chunksInOrder(at)
  const wanted = expected.map(({ entries, fee, size }) => ({
    fee: Number(fee),
    size: Number(size),
    transactions: handles(at, entries.map(({ key }) => key))
  }))
  const flat = wanted.flatMap(({ transactions }) => transactions)
  const worst = graph.worstChunk()
  const wrong = differs("chunks", said, wanted) ??
    differs("mining order", [...graph.miningOrder()], flat) ??
    differs("worst chunk", worst === undefined ? undefined : graph.chunk(worst), wanted.at(-1)) ??
    differs("memory", graph.memoryUsage(), naiveMemory(orders, wanted.length))
  if (wrong !== undefined) return wrong
  for (let i = 0; i < flat.length; i++) {
    const j = (i * 7 + 3) % flat.length
    const order = Math.sign(graph.compareMiningOrder(flat[i]!, flat[j]!))
    if (order !== Math.sign(i - j)) return `${i} and ${j} of the mining order compare as ${order}`
  }
  return undefined
}

/** What of the graph is not as the naive one says; undefined if all is. */
export const wrongState = (at: Players): string | undefined => {
  const { graph, naive } = at
  const clusters = naiveClusters(naive)
  const wrong = differs("transactions", graph.count(), naive.size) ??
    differs("fees", handles(at, naive.keys()).map(graph.fee), [...naive.values()].map(({ fee }) => fee)) ??
    differs("clusters", graph.clusterCount(handles(at, naive.keys())), clusters.length) ??
    wrongRelations(at)
  if (wrong !== undefined) return wrong
  graph.miningOrder()
  const orders = clusters.map((cluster) => orderOf(at, cluster))
  for (const [i, order] of orders.entries()) {
    const fault = wrongOrder(at, clusters[i]!, order)
    if (fault !== undefined) return fault
  }
  return wrongMiningOrder(at, orders)
}

/** More than any cluster takes. */
const AMPLE = 50_000_000

/** Whether the same transactions, added in another order, are mined in the same order once all is optimal. */
export const wrongWhenRebuilt = (at: Players): string | undefined => {
  at.graph.work(AMPLE)
  if (!at.graph.isOptimal()) return "no optimal order was found"
  const again = players(at.limits)
  const byRank = [...at.naive.values()].toSorted((a, b) => a.ancestors.size - b.ancestors.size || a.rank - b.rank)
  for (const { ancestors, fee, key, size } of byRank) {
    const parents = handles(again, [...ancestors].filter((each) => each !== key))
    const [handle] = again.graph.apply({ removals: [], additions: [{ fee, size, parents }] }) ?? []
    if (handle === undefined) return `${key} does not fit when the graph is built again`
    again.handleOf.set(key, handle)
    again.keyOf.set(handle, key)
  }
  const [said, wanted] = [again, at].map((each) => keysOf(each, each.graph.miningOrder()).join())
  return said === wanted ? undefined : `built again: ${said}, before: ${wanted}`
}
