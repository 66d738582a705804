import type { BenchRun, BenchSettings } from "../bench.ts"
import { median } from "../measure.ts"
import { inChild } from "../node/in-child.ts"
import type { Row } from "../row.ts"
import type { AcceptanceAsked, AcceptanceFigures } from "./acceptance-program.ts"
import type { FullAsked, FullFigures } from "./full-program.ts"
import type { GraphAsked, GraphFigures } from "./graph-program.ts"
import { measureReorganization, type ReorganizationFigures } from "./reorganization.ts"
import { mempoolTargets, ROW } from "./targets.ts"

const programAt = (name: string): URL => new URL(name, import.meta.url)

/** Threads that verify scripts: as many as a node has where there are two processors, and one. */
const WORKERS = 2
const TRANSACTIONS = 100_000
const QUICK_TRANSACTIONS = 20_000
const SIGNED = 5_000
const QUICK_SIGNED = 2_000
const BLOCKS = 100
const QUICK_BLOCKS = 10

const row = (provider: string) => (name: string, value: number, unit: string): Row => ({ name, provider, value, unit })

const ratioOf = (values: ReadonlyArray<number>, floor: ReadonlyArray<number>): number =>
  median(values.map((value, i) => value / floor[i]!))

const acceptanceRows = (figures: AcceptanceFigures, workers: number): ReadonlyArray<Row> => {
  const of = row(`engine, ${workers} worker${workers === 1 ? "" : "s"}`)
  const raw = "raw signatures"
  const own = workers === WORKERS
  return [
    {
      ...of(own ? ROW.ACCEPTANCE : `${ROW.ACCEPTANCE}, ${workers}`, median(figures.accepted), "/s"),
      ratio: ratioOf(figures.accepted, figures.raw),
      to: raw
    },
    {
      ...of(ROW.ACCEPTANCE_PROCESSOR, median(figures.acceptedProcessor) * 1e6, "µs"),
      ratio: ratioOf(figures.acceptedProcessor, figures.rawProcessor),
      to: raw
    },
    ...own ? [of(ROW.TEST, median(figures.tested) * 1e6, "µs")] : []
  ]
}

const fullRows = (figures: FullFigures, of: ReturnType<typeof row>): ReadonlyArray<Row> => [
  of("transaction accepted while it fills: processors", figures.filled * 1e6, "µs"),
  of(ROW.HEAP, figures.heap, "B"),
  of("outside the heap by the transaction", figures.outsideHeap, "B"),
  of(ROW.TEMPLATE, median(figures.templates) * 1e3, "ms"),
  of("transactions of the template", figures.templateTransactions, ""),
  of("acceptance with room: processors", figures.acceptance * 1e6, "µs"),
  of("acceptance that evicts: processors", figures.evictingAcceptance * 1e6, "µs"),
  of(ROW.EVICTION, figures.eviction * 1e6, "µs"),
  of("block of 4,000, scripts judged before", figures.block * 1e3, "ms"),
  of("its validation alone", figures.blockAlone * 1e3, "ms"),
  of(ROW.BLOCK, (figures.block - figures.blockAlone) * 1e3, "ms"),
  {
    ...of(ROW.KNOWN_SCRIPTS, figures.judgedAgain * 1e3, "ms"),
    ratio: figures.judgedAgain / figures.judgedBefore,
    to: "judged before"
  }
]

const graphRows = (figures: GraphFigures, of: ReturnType<typeof row>): ReadonlyArray<Row> => [
  of("transaction added", figures.added * 1e6, "µs"),
  of("clusters ordered, by the transaction", figures.ordered * 1e6, "µs"),
  of("chunks of a block read", figures.template * 1e3, "ms"),
  of("all in mining order", figures.wholeOrder * 1e3, "ms"),
  of("worst chunk removed", figures.eviction * 1e6, "µs"),
  of("4,000 confirmed, the rest ordered", figures.block * 1e3, "ms"),
  of("heap by the transaction, graph alone", figures.heap, "B"),
  of("outside the heap by the transaction, graph alone", figures.outsideHeap, "B")
]

const reorganizationRows = (figures: ReorganizationFigures, of: ReturnType<typeof row>): ReadonlyArray<Row> => [
  of(`reorganization of ${figures.blocks} full blocks`, figures.seconds, "s"),
  of(ROW.LIVE, figures.live, "ms"),
  of("reorganization of full blocks: RPC, p99", figures.rpc, "ms"),
  of("transactions pooled before it", figures.pooled, ""),
  of("transactions pooled after it", figures.pooledAfter, "")
]

/** The mempool of an engine and of a running node, full, in clusters of 1 to 64 transactions. */
export const mempoolBench = async ({ effort: { runs }, onStep, quick }: BenchSettings): Promise<BenchRun> => {
  const transactions = quick ? QUICK_TRANSACTIONS : TRANSACTIONS
  const pooled = `${transactions.toLocaleString("en-US")} transactions`
  const rows: Array<Row> = []
  for (const workers of [WORKERS, 1]) {
    onStep(`accepting signed transactions, ${workers} at work on scripts`)
    const asked: AcceptanceAsked = { runs, workers, transactions: quick ? QUICK_SIGNED : SIGNED }
    rows.push(...acceptanceRows(await inChild<AcceptanceFigures>(programAt("acceptance-program.ts"), asked), workers))
  }
  onStep(`an engine with ${pooled}`)
  const full: FullAsked = { runs, transactions }
  rows.push(...fullRows(await inChild<FullFigures>(programAt("full-program.ts"), full), row("engine")))
  onStep(`the mempool's graph with ${pooled}`)
  const graph: GraphAsked = { transactions }
  rows.push(...graphRows(await inChild<GraphFigures>(programAt("graph-program.ts"), graph), row("graph")))
  onStep(`a node with ${pooled} that changes to another branch`)
  const reorganized = await measureReorganization(quick ? QUICK_BLOCKS : BLOCKS, transactions)
  rows.push(...reorganizationRows(reorganized, row("node")))
  return { rows, targets: mempoolTargets(rows), second: "of processor time, but for acceptances and the node" }
}
