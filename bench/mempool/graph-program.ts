import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { txGraph, type TxGraph, type TxHandle } from "../../txgraph/src/index.ts"
import { answerParent } from "../node/in-child.ts"
import { sequence } from "./sequence.ts"

/** What the program is asked for, as JSON. */
export interface GraphAsked {
  readonly transactions: number
}

/** What the program prints, as JSON: processor seconds, and bytes of the JavaScript heap. */
export interface GraphFigures {
  /** Adding one transaction, and ordering all clusters once they are there, by the transaction. */
  readonly added: number
  readonly ordered: number
  /** Reading the chunks of a block. */
  readonly template: number
  /** Everything in mining order. */
  readonly wholeOrder: number
  /** Removing the worst chunk and finding the next worst. */
  readonly eviction: number
  /** Removing a block's transactions, and ordering what is left. */
  readonly block: number
  readonly heap: number
  readonly outsideHeap: number
}

const LIMITS = { transactions: 64, size: 404_000 }
const BLOCK_WEIGHT = 3_992_000
const BLOCK_TRANSACTIONS = 4_000
const EVICTIONS = 4_000
const TEMPLATES = 20
const ALL = 1e12

const processorSeconds = (work: () => void): number => {
  const start = process.cpuUsage()
  work()
  const { system, user } = process.cpuUsage(start)
  return (system + user) / 1e6
}

/** Clusters of 1 to 64 transactions, each spending one to three of the eight before it. */
const fill = (graph: TxGraph, transactions: number, below: (limit: number) => number): void => {
  let cluster: Array<TxHandle> = []
  let left = 0
  for (let i = 0; i < transactions; i++) {
    if (left === 0) {
      cluster = []
      left = 1 + below(64)
    }
    left--
    const near = cluster.slice(-8)
    const parents = near.length === 0
      ? []
      : [...new Set([0, 1, 2].slice(below(3)).map(() => near[below(near.length)]!))]
    const addition = { fee: 100 + below(20_000), size: 400 + below(2_000), parents }
    cluster.push(...graph.apply({ removals: [], additions: [addition] })!)
  }
}

const fillTemplate = (graph: TxGraph): number => {
  let weight = 0
  let count = 0
  for (let at = graph.bestChunk(); at !== undefined && weight < BLOCK_WEIGHT; at = graph.nextChunk(at)) {
    const { size, transactions } = graph.chunk(at)
    weight += size
    count += transactions.length
  }
  return count
}

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

const collectedMemory = (): NodeJS.MemoryUsage => {
  collect()
  return process.memoryUsage()
}

const measured = ({ transactions }: GraphAsked): GraphFigures => {
  const below = sequence()
  const ids = Uint32Array.from({ length: 2 * transactions }, () => below(2 ** 32))
  const before = collectedMemory()
  const graph = txGraph({ limits: LIMITS, compareIds: (a, b) => ids[a]! - ids[b]! || a - b })
  const added = processorSeconds(() => fill(graph, transactions, below))
  const ordered = processorSeconds(() => graph.work(ALL))
  const after = collectedMemory()
  const template = processorSeconds(() => {
    for (let i = 0; i < TEMPLATES; i++) fillTemplate(graph)
  }) / TEMPLATES
  const wholeOrder = processorSeconds(() => graph.miningOrder())
  const evictions = Math.min(EVICTIONS, transactions >> 4)
  const eviction = processorSeconds(() => {
    for (let i = 0; i < evictions; i++) graph.remove(graph.chunk(graph.worstChunk()!).transactions)
    graph.worstChunk()
  }) / evictions
  const confirmed = [...graph.miningOrder().subarray(0, BLOCK_TRANSACTIONS)]
  const block = processorSeconds(() => {
    graph.remove(confirmed)
    graph.work(ALL)
  })
  return {
    added: added / transactions,
    ordered: ordered / transactions,
    template,
    wholeOrder,
    eviction,
    block,
    heap: (after.heapUsed - before.heapUsed) / transactions,
    outsideHeap: (after.arrayBuffers - before.arrayBuffers) / transactions
  }
}

await answerParent((asked: GraphAsked) => Promise.resolve(measured(asked)))
