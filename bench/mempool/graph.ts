import type { BenchRun, BenchSettings } from "../bench.ts"
import { inChild } from "../node/in-child.ts"
import type { Row, Target } from "../row.ts"
import type { GraphAsked, GraphFigures } from "./graph-program.ts"

const PROGRAM = new URL("graph-program.ts", import.meta.url)

const TRANSACTIONS = 100_000
const QUICK_TRANSACTIONS = 20_000

const row = (name: string, value: number, unit: string): Row => ({ name, provider: "graph", value, unit })

const rowsOf = (figures: GraphFigures): ReadonlyArray<Row> => {
  return [
    row("transaction added", figures.added * 1e6, "µs"),
    row("clusters ordered, by the transaction", figures.ordered * 1e6, "µs"),
    row("chunks of a block read", figures.template * 1e3, "ms"),
    row("all in mining order", figures.wholeOrder * 1e3, "ms"),
    row("worst chunk evicted", figures.eviction * 1e6, "µs"),
    row("4,000 confirmed, the rest ordered", figures.block * 1e3, "ms"),
    row("heap by the transaction", figures.heap, "B"),
    row("outside the heap by the transaction", figures.outsideHeap, "B")
  ]
}

const target = (name: string, limit: number, ratio: number): Target => ({
  name,
  bound: "at most",
  limit,
  ratio,
  missing: "it was not measured"
})

const targetsOf = (figures: GraphFigures, transactions: number): ReadonlyArray<Target> => {
  const of = `with ${transactions.toLocaleString("en-US")} transactions`
  return [
    target(`chunks of a block ${of}, ms`, 60, figures.template * 1e3),
    target(`an eviction ${of}, µs`, 100, figures.eviction * 1e6),
    target(`4,000 confirmed ${of}, ms`, 150, figures.block * 1e3),
    target("heap of the graph by the transaction, B", 400, figures.heap)
  ]
}

/** The mempool's graph alone, full, in clusters of 1 to 64 transactions. */
export const graphBench = async ({ onStep, quick }: BenchSettings): Promise<BenchRun> => {
  const transactions = quick ? QUICK_TRANSACTIONS : TRANSACTIONS
  onStep(`the mempool's graph with ${transactions.toLocaleString("en-US")} transactions`)
  const asked: GraphAsked = { transactions }
  const figures = await inChild<GraphFigures>(PROGRAM, asked)
  return { rows: rowsOf(figures), targets: targetsOf(figures, transactions), second: "of processor time" }
}
