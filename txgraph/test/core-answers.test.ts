import { readFileSync } from "node:fs"
import { type TxGraph, txGraph } from "@lockstep/txgraph"
import { assert, describe, it } from "vitest"

/** Modified fee, adjusted weight, raw order of the txid, parents by position. */
type RecordedTransaction = readonly [fee: number, size: number, rank: number, parents: ReadonlyArray<number>]

interface Recorded {
  readonly clusters: ReadonlyArray<{
    readonly txs: ReadonlyArray<RecordedTransaction>
    readonly chunks: ReadonlyArray<readonly [fee: number, size: number, txs: ReadonlyArray<number>]>
  }>
  readonly templates: ReadonlyArray<{
    readonly txs: ReadonlyArray<RecordedTransaction>
    readonly order: ReadonlyArray<number>
  }>
}

const recorded = JSON.parse(readFileSync(new URL("core-answers.json", import.meta.url), "utf8")) as Recorded

const graphOf = (txs: ReadonlyArray<RecordedTransaction>): TxGraph => {
  const limits = { transactions: 64, size: 404_000 }
  const graph = txGraph({ limits, compareIds: (a, b) => txs[a]![2] - txs[b]![2] })
  for (const [fee, size, , parents] of txs) graph.apply({ removals: [], additions: [{ fee, size, parents }] })
  return graph
}

describe("recorded answers of Bitcoin Core", () => {
  it("getmempoolcluster has the chunks and the order that the graph has", () => {
    assert.isAtLeast(recorded.clusters.length, 30)
    for (const { chunks, txs } of recorded.clusters) {
      const said = graphOf(txs).cluster(0).map(({ fee, size, transactions }) => [fee, size, transactions])
      assert.deepStrictEqual<unknown>(said, chunks)
    }
  })

  it("block templates are in the mining order of the graph", () => {
    assert.isAtLeast(recorded.templates.length, 8)
    for (const { order, txs } of recorded.templates) assert.deepStrictEqual([...graphOf(txs).miningOrder()], order)
  })
})
