import { concatBytes } from "@lockstep/kernel/bytes"
import { decodeTransaction } from "@lockstep/kernel/model"
import type { ChunkHandle, TxHandle } from "@lockstep/txgraph"
import * as Result from "effect/Result"
import type { DiagramPoint, MempoolQueries, Relatives } from "./contract.ts"
import { compareTxids, hashAt } from "./entry-columns.ts"
import { findId } from "./id-index.ts"
import { deltaOf } from "./priority.ts"
import { spendersOf } from "./remove.ts"
import { spenderOf } from "./spent-index.ts"
import { parentsOf } from "./stage.ts"
import { bytesOf, entryOf, factsOf, inRawOrder, type MempoolState, transactionIn, usageOf } from "./state.ts"

const sumsOf = ({ columns }: MempoolState, txs: ReadonlyArray<TxHandle>): Relatives => ({
  count: txs.length,
  virtualSize: txs.reduce((sum, tx) => sum + columns.virtualSize[tx]!, 0),
  fees: txs.reduce((sum, tx) => sum + columns.modifiedFee[tx]!, 0n)
})

const feerateDiagram = ({ graph }: MempoolState): ReadonlyArray<DiagramPoint> => {
  const points = [{ weight: 0, fee: 0n }]
  for (let at: ChunkHandle | undefined = graph.bestChunk(); at !== undefined; at = graph.nextChunk(at)) {
    const { fee, size } = graph.chunk(at)
    const last = points.at(-1)!
    points.push({ weight: last.weight + size, fee: last.fee + BigInt(fee) })
  }
  return points
}

/** Makes the queries of a mempool. */
export const queriesOf = (state: MempoolState): MempoolQueries => {
  const { byTxid, byWtxid, columns, graph, spent } = state
  return {
    ofTxid: (txid) => findId(byTxid, txid),
    ofWtxid: (wtxid) => findId(byWtxid, wtxid),
    spenderOf: (outpoint) => spenderOf(spent, outpoint),
    entry: (tx) => entryOf(state, tx),
    bytes: (tx) => bytesOf(state, tx),
    txid: (tx) => hashAt(columns.txids, tx),
    wtxid: (tx) => hashAt(columns.wtxids, tx),
    fee: (tx) => columns.fee[tx]!,
    weight: (tx) => columns.weight[tx]!,
    sigOpCost: (tx) => columns.sigOpCost[tx]!,
    transaction: (tx) => Result.getOrThrow(decodeTransaction(new Uint8Array(bytesOf(state, tx)))),
    facts: (tx) => factsOf(state, tx),
    txids: (txs) => concatBytes(Array.from(txs, (tx) => hashAt(columns.txids, tx))),
    parents: (tx) => inRawOrder(state, parentsOf(state, transactionIn(state, tx))),
    children: (tx) =>
      inRawOrder(state, spendersOf(state, transactionIn(state, tx), columns.txids.subarray(tx * 32, tx * 32 + 32))),
    ancestorSums: (tx) => sumsOf(state, graph.ancestors([tx])),
    descendantSums: (tx) => sumsOf(state, graph.descendants([tx])),
    sums: (txs) => sumsOf(state, txs),
    txidOf: (tx) => new Uint8Array(hashAt(columns.txids, tx)),
    deltaOf: (txid) => deltaOf(state, txid),
    chunkFeerate: graph.chunkFeerate,
    feerateDiagram: () => feerateDiagram(state),
    graph,
    compareTxids: (a, b) => compareTxids(columns, a, b),
    totals: () => ({
      count: columns.count,
      virtualSize: state.virtualSize,
      fees: state.fees,
      usage: usageOf(state)
    }),
    sequence: () => state.sequence,
    updates: () => state.updates
  }
}
