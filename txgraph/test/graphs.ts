import { type Dependency, type NewTransaction, txGraph, type TxGraph, type TxHandle } from "@lockstep/txgraph"

export const LIMITS = { transactions: 64, size: 404_000 }

/** An empty graph in which a transaction's handle is the raw order of its txid. */
export const emptyGraph = (limits = LIMITS): TxGraph => txGraph({ limits, compareIds: (a, b) => a - b })

const added = (graph: TxGraph, additions: ReadonlyArray<NewTransaction>): ReadonlyArray<TxHandle> =>
  graph.apply({ removals: [], additions }) ?? []

/** Adds a transaction that fits. */
export const add = (graph: TxGraph, fee: number, size: number, ...parents: ReadonlyArray<TxHandle>): TxHandle =>
  added(graph, [{ fee, size, parents }])[0]!

export const dependency = (parent: TxHandle, child: TxHandle): Dependency => ({ parent, child })

/** Transactions of the chunks of a cluster. */
export const chunksOf = (graph: TxGraph, tx: TxHandle): ReadonlyArray<ReadonlyArray<TxHandle>> =>
  graph.cluster(tx).map(({ transactions }) => transactions)
